"""Write the README's badges from `pyproject.toml`: `python binder/badges.py`.

The pictures are drawn here, so that reading the README needs nobody's server. The Binder badge
opens the first tutorial on mybinder.org as soon as `[project.urls]` names a `Repository`; in a copy
without a public address it leads to `binder/README.md`, which says how to launch one.
`tests/test_binder.py` fails when this was not run after a change.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
PICTURES = Path("notebooks", "pictures", "badges")
FIRST = "lab/tree/notebooks/01_scheduling.ipynb"

LETTER, MARGIN = 6.6, 6  # px: what a letter of 11 px Verdana takes on average, and the space beside


class Badge(NamedTuple):
    """What stands left and right on a badge, the colour on the right, and where it leads."""

    label: str
    text: str
    colour: str
    target: str

    @property
    def picture(self) -> Path:
        """Where its picture lies, seen from the root."""
        return PICTURES / f"{self.label.lower()}.svg"


def launch(repository: str | None) -> str:
    """Give the address at which Binder opens the first tutorial of `repository`.

    A GitHub address has a short form of its own; any other Git address goes in whole
    (https://mybinder.readthedocs.io).
    """
    if repository is None:
        return "binder/README.md"
    found = re.fullmatch(r"https://github\.com/([^/]+/[^/]+?)(\.git)?/?", repository)
    place = f"gh/{found[1]}" if found else f"git/{quote(repository, safe='')}"
    return f"https://mybinder.org/v2/{place}/HEAD?urlpath={FIRST}"


def badges(project: dict[str, Any]) -> tuple[Badge, ...]:
    """List the badges that the `[project]` table of `pyproject.toml` gives."""
    python = project["requires-python"].removeprefix(">=") + " or later"
    repository = project.get("urls", {}).get("Repository")
    return (
        Badge("Binder", "launch", "#b5432f", launch(repository)),
        Badge("JupyterLite", "no server", "#8a5a00", "docs/howto/browser.md"),
        Badge("Python", python, "#2b6cb0", "pyproject.toml"),
        Badge("Licence", project["license"], "#3d7a3d", "LICENSE"),
    )


def draw(badge: Badge) -> str:
    """Draw `badge` as SVG, 20 px high."""
    left, right = (round(len(word) * LETTER) + 2 * MARGIN for word in (badge.label, badge.text))
    size = f'width="{left + right}" height="20"'
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{badge.label}: {badge.text}">
  <clipPath id="round"><rect {size} rx="3"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="{left}" height="20" fill="#444"/>
    <rect x="{left}" width="{right}" height="20" fill="{badge.colour}"/>
  </g>
  <g fill="#fff" font-family="Verdana, sans-serif" font-size="11" text-anchor="middle">
    <text x="{left / 2}" y="14">{badge.label}</text>
    <text x="{left + right / 2}" y="14">{badge.text}</text>
  </g>
</svg>
"""


def line(shown: tuple[Badge, ...]) -> str:
    """Write `shown` in Markdown."""
    return "\n".join(
        f"[![{badge.label}: {badge.text}]({badge.picture.as_posix()})]({badge.target})"
        for badge in shown
    )


def of_this_project() -> tuple[Badge, ...]:
    """List the badges of this checkout."""
    return badges(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"])


def main() -> None:
    """Draw the pictures, and write the line below the README's title."""
    shown = of_this_project()
    for badge in shown:
        (ROOT / badge.picture).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / badge.picture).write_text(draw(badge), "utf-8")
    readme = ROOT / "README.md"
    title, *parts = readme.read_text("utf-8").split("\n\n")
    text = [part for part in parts if not part.startswith("[![")]
    readme.write_text("\n\n".join([title, line(shown), *text]), "utf-8")


if __name__ == "__main__":
    main()
