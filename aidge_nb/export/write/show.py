"""How export plans and packages show themselves in a notebook: static HTML, no script.

A table of memory, the schedule beside the statements that it became, and, for a package, the tree
of its files with their sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from aidge_nb.core.text import html_text
from aidge_nb.export.plan.parts import ProgramLoop, Step
from aidge_nb.export.write.code import Code

if TYPE_CHECKING:
    from aidge_nb.export.plan.value import ExportPlan

_MOST_STEPS = 40
_MOST_COPIES = 6
_STYLE = """
.nb-export { font-family: system-ui, 'Segoe UI', 'Noto Sans', sans-serif; font-size: 13px;
  color: var(--jp-content-font-color1, #1b1f26); }
.nb-export table { border-collapse: collapse; margin: 6px 0 12px; }
.nb-export th, .nb-export td { text-align: left; padding: 2px 10px; vertical-align: top;
  border-bottom: 1px solid var(--jp-border-color2, #d5d8dd); }
.nb-export td.number { text-align: right; font-variant-numeric: tabular-nums; }
.nb-export pre, .nb-export code { font-family: var(--jp-code-font-family, monospace);
  font-size: 12px; margin: 0; white-space: pre; background: none; }
.nb-export summary { cursor: pointer; font-weight: 600; margin: 4px 0; }
"""


def plan_html(plan: ExportPlan) -> str:
    """Show a plan: memory, and the schedule beside the forward function."""
    return _page(plan, _memory(plan) + _forward(plan))


def package_html(plan: ExportPlan, files: Mapping[str, int]) -> str:
    """Show a package: as its plan, and its files."""
    tree = html_text("\n".join(file_tree(files)))
    total = f"{len(files)} files, {sum(files.values()):,} bytes"
    listing = f"<details open><summary>{total}</summary><pre>{tree}</pre></details>"
    return _page(plan, _memory(plan) + listing + _forward(plan))


def _page(plan: ExportPlan, body: str) -> str:
    title = f"<b>{html_text(plan.name)}</b> for {html_text(plan.target)}"
    return f'<div class="nb-export"><style>{_STYLE}</style><div>{title}</div>{body}</div>'


def memory_rows(plan: ExportPlan) -> list[tuple[str, str, int, str]]:
    """List what needs memory: what it is, its symbol, its bytes, and RAM or ROM."""
    rows = [
        (
            f"activations{', ' + a.memory if a.memory else ''}",
            f"{plan.name}_{a.symbol}",
            a.size,
            "RAM",
        )
        for a in plan.arenas
    ]
    rows.append(("stack of one call, at most", "", plan.stack, "RAM"))
    rows.append((f"{len(plan.parameters)} parameters", "", plan.parameter_bytes, "ROM"))
    return rows


def _memory(plan: ExportPlan) -> str:
    cells = "".join(
        f"<tr><td>{html_text(what)}</td><td><code>{html_text(symbol)}</code></td>"
        f'<td class="number">{size:,}</td><td>{kind}</td></tr>'
        for what, symbol, size, kind in memory_rows(plan)
    )
    head = "<tr><th>memory</th><th>symbol</th><th>bytes</th><th></th></tr>"
    told = copies_text(plan, html_text)
    return f"<table>{head}{cells}</table>" + (f"<div>{told}</div>" if told else "")


def copies_text(plan: ExportPlan, escaped: Callable[[str], str]) -> str:
    """Say which nodes work on copies, since kernels cannot take operands where the plan has them.

    It is empty where none do. ``escaped`` makes the names of nodes fit for where it is shown.
    """
    largest = sorted(plan.copied_aside.items(), key=lambda item: (-item[1], item[0]))
    if not largest:
        return ""
    told = ", ".join(f"{escaped(node)} {size:,}" for node, size in largest[:_MOST_COPIES])
    more = len(largest) - _MOST_COPIES
    return f"Working memory for copies, in bytes: {told}{f' and {more} more' if more > 0 else ''}."


def _forward(plan: ExportPlan) -> str:
    rows = list(schedule_rows(plan))
    more = len(rows) - _MOST_STEPS
    cells = "".join(
        f'<tr><td class="number">{number}</td><td style="padding-left:{10 + 16 * depth}px">'
        f"{html_text(node)}</td><td>{html_text(kind)}</td><td><pre>{html_text(code)}</pre></td></tr>"
        for number, depth, node, kind, code in rows[:_MOST_STEPS]
    )
    if more > 0:
        cells += f"<tr><td></td><td>… and {more} more</td><td></td><td></td></tr>"
    head = "<tr><th></th><th>schedule</th><th>operator</th><th>forward function</th></tr>"
    caption = html_text(f"{plan.name}_forward: {len(rows)} rows")
    return f"<details open><summary>{caption}</summary><table>{head}{cells}</table></details>"


Row = tuple[int | str, int, str, str, str]
"""Number, depth in loops, node (or how often a loop turns), type, and lines of C."""


def schedule_rows(plan: ExportPlan) -> Iterator[Row]:
    """List the steps of a program, and the lines of the forward function that each became."""
    code = Code(plan)

    def walk(steps: tuple[Step | ProgramLoop, ...], depth: int) -> Iterator[Row]:
        for item in steps:
            if isinstance(item, ProgramLoop):
                yield "", depth, f"{item.count} ×", "", code.loop_head(item.count, depth)
                yield from walk(item.body, depth + 1)
            else:
                same = f"done by {item.done_by}" if item.done_by else "the same bytes"
                lines = "\n".join(code.statements(item, depth)) or f"/* {same} */"
                yield item.number, depth, item.node, item.type, lines

    return walk(plan.steps, 0)


def file_tree(files: Mapping[str, int]) -> Iterator[str]:
    r"""Draw the files of a folder as a tree, with their sizes.

    Examples
    --------
    >>> print("\n".join(file_tree({"src/a.c": 120, "src/b.c": 1300, "README.md": 7})))
    ├── README.md  7
    └── src/  1,420
        ├── a.c  120
        └── b.c  1,300
    """
    names: dict[str, dict[str, int]] = {}
    for path, size in files.items():
        first, _, rest = path.partition("/")
        names.setdefault(first, {})[rest] = size
    order = sorted(names, key=lambda name: ("" not in names[name], name))
    for number, name in enumerate(order):
        inside, is_last = names[name], number == len(order) - 1
        total = sum(inside.values())
        is_file = "" in inside
        yield f"{'└' if is_last else '├'}── {name}{'' if is_file else '/'}  {total:,}"
        if not is_file:
            for line in file_tree(inside):
                yield ("    " if is_last else "│   ") + line
