"""Builds the documentation site, from the pages here, the notebooks and the docstrings.

    python docs/build.py [FOLDER]        default: docs/_site

Needs the dependency group `docs` and no network. Any warning is an error. What can be made from
the code is made here and not kept: the reference, the matrix of operators, the table of Aidge's
names.
"""

from __future__ import annotations

import inspect
import shutil
import sys
from enum import Enum
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent))
import solvers  # lies beside this script
import tiny  # so does this
from gallery import gallery
from matrix import operators  # so does this
from sessions import SETUP, sessions  # and so does this

from aidge_nb import ops

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PACKAGES = (
    "aidge_nb",
    "aidge_nb.graph",
    "aidge_nb.ops",
    "aidge_nb.scheduling",
    "aidge_nb.memory",
    "aidge_nb.advice",
    "aidge_nb.recipes",
    "aidge_nb.quantization",
    "aidge_nb.tflite_io",
    "aidge_nb.tiling",
    "aidge_nb.hardware",
    "aidge_nb.runtime",
    "aidge_nb.onnx_io",
    "aidge_nb.plan_io",
    "aidge_nb.export",
    "aidge_nb.learning",
    "aidge_nb.zoo",
    "aidge_nb.widgets",
    "aidge_nb.compat",
    "aidge_nb.course",
    "aidge_nb.kernels",
    "aidge_nb.core.dtype",
    "aidge_nb.core.dformat",
)
"""What the reference describes, a page each; names of several packages are on the first page."""


NOT_OURS = (
    "   :inherited-members: int, tuple, dict, Enum, IntEnum, BaseException, AnyWidget, Generic"
)
"""Members that come from these are described elsewhere."""


def build(target: Path) -> int:
    """Build the site into a folder; give Sphinx's exit code."""
    from sphinx.cmd.build import main as sphinx

    with TemporaryDirectory() as folder:
        source, made = Path(folder) / "docs", Path(folder) / "made" / "html"
        gather(source)
        code = sphinx(["-q", "-W", "--keep-going", "-b", "html", str(source), str(made)])
        if made.exists():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(made, target, ignore=shutil.ignore_patterns(".doctrees"))
        return code


def gather(source: Path) -> None:
    """Put all pages into one folder: those here, the notebooks, and those made from the code."""
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("_site", "__pycache__"))
    shutil.copytree(
        ROOT / "notebooks",
        source / "tutorials",
        # What teachers keep to themselves stays where it is.
        ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__", "source", "*.py"),
    )
    (source / "tutorials" / "index.md").write_text(tutorials(source / "tutorials"), "utf-8")
    (source / "operators.md").write_text(operators(), "utf-8")
    (source / "aidge_names.md").write_text(aidge_names(), "utf-8")
    (source / "changelog.md").write_text((ROOT / "CHANGELOG.md").read_text("utf-8"), "utf-8")
    (source / "gallery.md").write_text(gallery(source / "extra" / "gallery"), "utf-8")
    (source / "mlperf_tiny.md").write_text(tiny.page(source / "extra" / "mlperf_tiny"), "utf-8")
    (source / "solvers.md").write_text(solvers.page(source / "extra" / "solvers"), "utf-8")
    reference = source / "reference"
    reference.mkdir()
    for name, text in references().items():
        (reference / f"{name}.md").write_text(text, "utf-8")


def tutorials(folder: Path) -> str:
    """List the notebooks, in order."""
    names = sorted(path.stem for path in folder.glob("[0-9]*.ipynb"))
    course = sorted((folder / "course" / "release").rglob("*.ipynb"))
    names += ["course/README", *(str(path.relative_to(folder).with_suffix("")) for path in course)]
    return page("Tutorials", "Notebooks to read, and to run: `aidge-nb lab` opens them.", names)


def page(title: str, text: str, entries: list[str]) -> str:
    """Write a page that is a heading, a sentence and a list of pages."""
    tree = ["```{toctree}", ":maxdepth: 2", "", *entries, "```", ""]
    return "\n".join([f"# {title}", "", text, "", *tree])


def references() -> dict[str, str]:
    """Write one page per package, with every public name once."""
    described: set[int] = set()
    of_operators: list[str] = []  # they have a page of their own, under the names that users write
    pages = {}
    for package in PACKAGES:
        module = import_module(package)
        lines = [f"# {package}", "", "```{eval-rst}", f".. automodule:: {package}", "```", ""]
        lines += ["Examples that make no graph of their own begin with", ""]
        lines += ["```python", SETUP.rstrip(), "```", ""]
        for name in public_names(module):
            text = describe(package, name, getattr(module, name), described)
            (of_operators if name in ops.__all__ else lines).extend(text)
        pages[package] = "\n".join([*lines, *(of_operators if package == "aidge_nb.ops" else [])])
    pages["index"] = page("Reference", _REFERENCE, list(pages))
    return pages


_REFERENCE = """Every public name. Sizes of memory are bytes, intervals half-open; dimensions are
elements along each axis; ticks and steps count executions, and times say in what. The
[glossary](../tutorials/glossary.md) has the words, the [matrix](../operators.md) what each operator
can do. What is raised is most often an `AidgeError`: it names the place, what was expected and
found, and what to do.
"""


def public_names(module: ModuleType) -> list[str]:
    """List the public names of a package, but modules and members of enumerations.

    Second names come last.
    """
    names: list[str] = sorted(getattr(module, "__all__", ()))
    names.sort(key=lambda name: getattr(getattr(module, name), "__name__", name) != name)
    return [
        name
        for name in names
        if not name.startswith("_") and not isinstance(getattr(module, name), ModuleType | Enum)
    ]


def describe(package: str, name: str, thing: object, described: set[int]) -> list[str]:
    """Describe a name, or say where else it is described."""
    if id(thing) in described:
        return []
    described.add(id(thing))
    if isinstance(thing, type):
        directive = [f".. autoclass:: {package}.{name}", "   :members:", NOT_OURS]
        directive += ["   :undoc-members:"] if issubclass(thing, Enum) else []
        fields = ", ".join(getattr(thing, "_fields", ()))  # of a tuple: without text of their own
        directive += [f"   :exclude-members: {fields}"] if fields else []
    elif inspect.isroutine(thing):
        directive = [f".. autofunction:: {package}.{name}"]
    else:
        lines = [*text_of_data(package, name), *_example(f"{package}.{name}")]
        directive = [f".. py:data:: {package}.{name}", "", *[f"   {line}" for line in lines]]
    return [f"## {name}", "", "```{eval-rst}", *directive, "```", ""]


def _example(name: str) -> list[str]:
    """Give the example of a constant; those of other things come with their docstrings."""
    session = sessions().get(name)
    return ["", *session.splitlines(), ""] if session else []


def text_of_data(package: str, name: str) -> list[str]:
    """Find what is written below a constant, in the module that defines it.

    Raises
    ------
    LookupError
        When nothing is: a public constant says what it is.
    """
    from sphinx.pycode import ModuleAnalyzer

    thing = getattr(import_module(package), name)
    for module in sorted(sys.modules):
        if module.partition(".")[0] != "aidge_nb":
            continue
        if getattr(sys.modules[module], name, None) is thing:  # others may have the same name
            found = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name))
            if found:
                return found
    raise LookupError(f"{package}.{name} has no docstring below it")


def aidge_names() -> str:
    """Write the table of Aidge's names that are served."""
    from aidge_nb.compat import api_table

    return api_table(with_probes=True).to_markdown()


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "_site"))
