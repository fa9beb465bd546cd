"""Compare the memory that the orders of the scheduling policies need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import MemoryPlanError, SchedulingError
from aidge_nb.core.forms import as_plain
from aidge_nb.core.text import csv_text, html_text
from aidge_nb.memory.joint import JointPlan, plan_jointly
from aidge_nb.memory.live.facts import nodes_in_order
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.scheduling import SchedulingPolicy, check_schedule, schedule_nodes, static_schedule
from aidge_nb.scheduling.order.branches import find_fork_branches
from aidge_nb.scheduling.order.policies import as_policy
from aidge_nb.scheduling.order.solve import MAX_STATES
from aidge_nb.scheduling.order.sort import sort_firings

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node
    from aidge_nb.scheduling import StaticSchedule

JOINT = "joint with layout"


@dataclass(frozen=True, slots=True)
class OrderRow:
    """Memory that the order of one policy needs.

    Attributes
    ----------
    policy
        Its name.
    live_bytes
        The most bytes that are live at once; None when its order cannot run.
    planned_bytes
        Bytes of the arena that a layout for its order needs.
    gap
        Bytes between that arena and what no order can do without.
    proven
        Whether no order and no layout needs less.
    """

    policy: str
    live_bytes: int | None
    planned_bytes: int | None
    gap: int | None
    proven: bool


@dataclass(frozen=True, slots=True, repr=False)
class OrderComparison:
    """Orders of a graph, by policy.

    Attributes
    ----------
    rows
        One per policy, and one for order and layout chosen together.
    lower_bound
        Bytes that no order can do without.
    best
        The best order with its layout.
    """

    rows: tuple[OrderRow, ...]
    lower_bound: int
    best: JointPlan

    def row(self, policy: SchedulingPolicy | str) -> OrderRow:
        """Return the row of a policy.

        Raises
        ------
        SchedulingError
            When the policy is unknown or was not compared.
        """
        name = as_policy(policy).name
        for row in self.rows:
            if row.policy == name:
                return row
        names = ", ".join(row.policy for row in self.rows)
        raise SchedulingError.at(
            "comparison", "this policy was not compared", expected=names, found=name
        )

    # --- other forms ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return as_plain(self)

    def to_csv(self) -> str:
        """Return one line per policy; sizes in bytes."""
        titles = ("policy", "live_bytes", "planned_bytes", "gap", "proven")
        return csv_text([titles, *(asdict(row).values() for row in self.rows)])

    def __repr__(self) -> str:
        lines: list[tuple[str, ...]] = [("policy", "live", "arena", "above the bound", "")]
        lines += [_cells(row, self.lower_bound) for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        title = f"bytes; no order needs less than {self.lower_bound:,}"
        return "\n".join([title, *(_aligned(line, widths) for line in lines)])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        head = "".join(f"<th>{each}</th>" for each in ("policy", "live", "arena", "above", ""))
        body = "".join(
            "<tr>"
            + "".join(f"<td>{html_text(cell)}</td>" for cell in _cells(row, self.lower_bound))
            + "</tr>"
            for row in self.rows
        )
        note = f"<caption>bytes; no order needs less than {self.lower_bound:,}</caption>"
        table = f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return {"text/plain": repr(self), "text/html": table}


def compare_orders(
    graph: GraphView,
    policies: Sequence[SchedulingPolicy | str] = tuple(SchedulingPolicy),
    options: PlanOptions | None = None,
    *,
    max_states: int = MAX_STATES,
    **changes: Any,
) -> OrderComparison:
    """Schedule a graph and plan its memory for the order of each policy.

    Parameters
    ----------
    graph
        The graph, with known dimensions.
    policies
        Which policies to compare. Branches are found for those that need them, without tagging
        nodes.
    options, **changes
        As for :func:`~aidge_nb.memory.plan_memory`.
    max_states
        As for :func:`~aidge_nb.memory.plan_jointly`, whose result is the last row.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown.
    SchedulingError
        When the graph cannot be scheduled, or a policy is unknown.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.FC(4, 2, name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> compare_orders(view, ["Default", "MinimumMemory"])
    bytes; no order needs less than 24
    policy             live  arena  above the bound
    Default              24     24                0  optimal
    MinimumMemory        24     24                0  optimal
    joint with layout    24     24                0  optimal
    """
    wanted = [as_policy(policy) for policy in policies]
    chosen = PlanOptions.of(options, **changes)
    schedule = static_schedule(graph)
    best = plan_jointly(graph, schedule, chosen, max_states=max_states)
    bound = best.found.lower_bound
    rows = []
    for policy in wanted:
        if policy is SchedulingPolicy.MinimumMemory:
            order: list[Node] | None = best.found.nodes(graph)
        else:
            order = _order(graph, schedule, policy)
        rows.append(_row(graph, policy.name, order, bound, chosen))
    rows.append(_row(graph, JOINT, best.nodes(graph), bound, chosen))
    return OrderComparison(tuple(rows), bound, best)


def _order(
    view: GraphView, schedule: StaticSchedule, policy: SchedulingPolicy
) -> list[Node] | None:
    """Return the order of a policy, or None if it cannot run (branches at several rates)."""
    nodes = nodes_in_order(view, [actor.name for actor in schedule.actors])
    number = {node: i for i, node in enumerate(nodes)}
    branches = {
        number[node]: {number[fork]: branch for fork, branch in forks.items()}
        for node, forks in find_fork_branches(view).items()
    }
    firings = sort_firings(schedule, policy, branches, view)
    order = [nodes[firing.actor] for firing in firings]
    if len(set(order)) < len(order):
        try:
            check_schedule(view, schedule_nodes(view, order))
        except SchedulingError:
            return None
    return order


def _row(
    graph: GraphView, name: str, order: list[Node] | None, bound: int, options: PlanOptions
) -> OrderRow:
    if order is None:
        return OrderRow(name, None, None, None, False)
    try:
        plan = plan_memory(graph, order, options)
    except MemoryPlanError:
        return OrderRow(name, None, None, None, False)
    return OrderRow(name, plan.lower_bound, plan.peak, plan.peak - bound, plan.peak == bound)


def _cells(row: OrderRow, bound: int) -> tuple[str, ...]:
    if row.live_bytes is None or row.planned_bytes is None or row.gap is None:
        return (row.policy, "", "", "", "cannot run")
    share = f" ({row.gap / bound:+.1%})" if row.gap and bound else ""
    verdict = "optimal" if row.proven else ""
    return (
        row.policy,
        f"{row.live_bytes:,}",
        f"{row.planned_bytes:,}",
        f"{row.gap:,}{share}",
        verdict,
    )


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *numbers, last = zip(cells, widths, strict=True)
    columns = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in numbers), last[0]]
    return "  ".join(columns).rstrip()
