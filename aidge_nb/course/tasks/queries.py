"""Unit 5: queries, and what fusing saves."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb import ops
from aidge_nb.course.answers.choice import PickQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.texts import TextQuestion
from aidge_nb.course.queries import FindQuery
from aidge_nb.course.tasks.base import Drawing, Mistake, chains_text
from aidge_nb.graph.builders import get_connected_graph_view, sequential
from aidge_nb.graph.fuse import fuse_to_metaops
from aidge_nb.graph.query import SinglePassGraphMatching
from aidge_nb.memory import plan_memory

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

KEYS = ("->", "~>", "#1", ";")
UNARY = (ops.ReLU, ops.Tanh, ops.Sigmoid, ops.Sqrt, ops.Exp, ops.Abs)
BINARY = (ops.Mul, ops.Add, ops.Sub)


def types_text(view: GraphView) -> str:
    """Return the operators of a graph as text, each with its type."""
    nodes = [node for node in view.topological_order() if node.type() != "Producer"]
    return ", ".join(f"{node.name()} ({node.type()})" for node in nodes)


def pairs(seed: int) -> Drawing:
    """Ask for a query that matches convolutions with their normalizations."""
    random = Random(seed)
    count, lone = random.choice([2, 3]), random.choice(["first", "last"])
    act = random.choice(UNARY[:3])
    blocks = [
        node
        for number in range(1, count + 1)
        for node in (
            ops.Conv2D(4, 4, [1, 1], name=f"conv_{number}"),
            ops.BatchNorm2D(4, name=f"norm_{number}"),
            act(name=f"act_{number}"),
        )
    ]
    alone = ops.Conv2D(4, 4, [1, 1], name=lone)
    view = sequential([alone, *blocks] if lone == "first" else [*blocks, alone])
    exercise = FindQuery(view, [{f"conv_{n}", f"norm_{n}"} for n in range(1, count + 1)])
    asked = TextQuestion(
        f"{chains_text(view)}. The operators are {types_text(view)}. Write a query that matches "
        "each convolution with its normalization, and nothing else.",
        exercise.check,
        lambda: "Conv2D->BatchNorm2D",
        "Conv2D",
        label="query",
        keys=KEYS,
        hints=[
            f"What do all convolutions but {lone} have behind them?",
            "A query names types, with -> between an operator and its only reader.",
            "It begins Conv2D-> …",
        ],
        why=f"{lone} has no normalization behind it, so the pair leaves it out.",
    )
    says = f"It matches `{lone}`: what tells it apart?"
    return Drawing(asked, (Mistake("Conv2D", says, "one type"),))


class Diamond(NamedTuple):
    """A fork that joins again: its graph, and the names of its types."""

    view: GraphView
    split: str
    left: str
    right: str
    join: str

    @property
    def query(self) -> str:
        """A query that matches all four."""
        split, join = f"{self.split}#1", f"{self.join}#1"
        return f"{split}~>{self.left}->{join};{split}~>{self.right}-1>{join}"


def diamond(random: Random) -> Diamond:
    """Draw a diamond between a convolution and a tail; its first type stands again behind it."""
    split, left, right = random.sample(UNARY, 3)
    join = random.choice(BINARY)
    channels, tail = random.choice([2, 4, 6, 8]), random.randint(1, 2)
    stem = ops.Conv2D(3, channels, [3, 3], name="conv")
    fork, one, other = split(name="fork"), left(name="left"), right(name="right")
    end = join(name="join")
    stem.add_child(fork)
    fork.add_child(one)
    fork.add_child(other)
    one.add_child(end, 0, 0)
    other.add_child(end, 0, 1)
    last = end
    for number in range(1, tail + 1):
        node = split(name=f"tail_{number}")
        last.add_child(node)
        last = node
    large = ops.Conv2D(channels, random.choice([4, 8, 12, 16]), [1, 1], name="wide")
    last.add_child(large)
    view = get_connected_graph_view(stem)
    view.forward_dims([[1, 3, 6, 6]])
    return Diamond(view, fork.type(), one.type(), other.type(), end.type())


def find_diamond(seed: int) -> Drawing:
    """Ask for a query that matches a diamond."""
    drawn = diamond(Random(seed))
    exercise = FindQuery(drawn.view, [{"fork", "left", "right", "join"}])
    walk = f"{drawn.split}~>{drawn.left}->{drawn.join}"
    asked = TextQuestion(
        f"{chains_text(drawn.view)}. The operators are {types_text(drawn.view)}. Write a query "
        "that matches fork, left, right and join together, and nothing else.",
        exercise.check,
        lambda: drawn.query,
        "ReLU#1~>Tanh->Mul#1",
        label="query",
        keys=KEYS,
        hints=[
            "A query walks one way: how many ways lead from fork to join?",
            "Write two walks with ; between them. #1 makes a type mean the same node in both.",
            f"The first walk is {drawn.split}#1~>{drawn.left}->{drawn.join}#1.",
        ],
        why="fork has two readers, so ~>; -1> enters the second input of join.",
    )
    wrong = f"{walk};{drawn.split}~>{drawn.right}-1>{drawn.join}"
    return Drawing(asked, (Mistake(wrong, "Both must end at the *same* node.", "no anchor"),))


def one_reader(seed: int) -> Drawing:
    """Ask which of four queries match nothing."""
    random = Random(seed)
    drawn = diamond(random)
    side, other = random.sample([drawn.left, drawn.right], 2)
    into = "->" if side == drawn.left else "-1>"
    queries = [
        f"{drawn.split}->{side}",
        f"{drawn.split}~>{random.choice([side, other])}",
        f"{side}{into}{drawn.join}",
        f"{side}->{other}",
    ]
    random.shuffle(queries)

    def matches(query: str) -> int:
        return len(SinglePassGraphMatching(drawn.view).match(query))

    def because(query: str) -> str:
        count = matches(query)
        return f"{query} matches {count} time{'s' * (count != 1)}."

    second = "right" if side == drawn.left else "left"
    says = f"fork has a second reader, {second}: -> asks for the only one."
    asked = PickQuestion(
        f"{chains_text(drawn.view)}. The operators are {types_text(drawn.view)}. Which of these "
        "queries match nothing?",
        queries,
        lambda: [query for query in queries if not matches(query)],
        because,
        hints=[
            "How many readers does each operator have?",
            "-> asks for the only reader, ~> for one of the readers.",
            f"{side}->{other} matches nothing: there is no such edge.",
        ],
        why="-> matches where the reader is the only one; ~> where it is one of several, too.",
    )
    return Drawing(asked, (Mistake([f"{side}->{other}"], says, "any edge"),))


def what_it_saves(seed: int) -> Drawing | None:
    """Ask for the peak after a diamond was fused."""
    random = Random(seed)
    drawn = diamond(random)
    view = drawn.view
    before = plan_memory(view, in_place=False)
    sizes = {buffer.name: buffer.size for buffer in before.buffers}

    def right() -> int:
        fused = view.clone()
        fuse_to_metaops(fused, drawn.query, "Diamond")
        return plan_memory(fused, in_place=False).peak

    inside = sizes["fork"] + sizes["left"] + sizes["right"]
    wrong = before.peak - inside
    if right() == wrong:
        return None
    listed = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
    asked = NumberQuestion(
        f"{chains_text(view)}. Results take, in bytes: {listed}. Nothing is written in place: the "
        f"peak is {before.peak:,}. fork, left, right and join become one block, which needs no "
        "room between its operators in this plan. What is the peak then?",
        right,
        "bytes",
        hints=[
            "Which results are left when the four are one?",
            "Only conv, the block and what follows lie in memory: which two meet?",
            f"conv and the block together are {sizes['conv'] + sizes['join']:,} bytes.",
        ],
        why="Two neighbours of the chain that is left are alive at once; the largest sum counts.",
    )
    says = "Only what lived at the peak."
    return Drawing(asked, (Mistake(wrong, says, "all inside"),))
