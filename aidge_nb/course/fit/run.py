"""Run the network of a choice: in the planned arena, and as a C program on an emulated board."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.boards import TOOLS, has_tools
from aidge_nb.course.fit.moves import FitSetting
from aidge_nb.course.fit.states import NAME, network, order_of, program_plan, state_of
from aidge_nb.course.fit.trained import KINDS, picture
from aidge_nb.export import BOARDS, export
from aidge_nb.memory import plan_memory
from aidge_nb.runtime import run_in_arena

BOARD = "mps2-an385"
RECORDED = Path(__file__).parent / "recorded.json"


@dataclass(frozen=True, slots=True)
class FitRun:
    """A run of the trained network on a picture that it has never seen.

    Attributes
    ----------
    kind, answer
        What the bar in the picture is, and what the network says.
    touched, arena
        Bytes of the arena that were written, and all of them.
    is_equal
        Whether all bits are those of the network as it was, in NumPy and on the board.
    instructions, stack
        Of the program on the board.
    is_recorded
        Whether the run on the board was recorded elsewhere, since the tools are missing here.
    """

    kind: str
    answer: str
    touched: int
    arena: int
    is_equal: bool
    instructions: int
    stack: int
    is_recorded: bool

    @property
    def text(self) -> str:
        """The run in words."""
        bits = "all bits equal" if self.is_equal else "bits differ"
        where = f"emulated {BOARDS[BOARD].core}"
        how = "A recorded run of its C program" if self.is_recorded else "Its C program"
        return (
            f"It runs: {self.touched:,} of {self.arena:,} bytes touched. {how} on an {where}: "
            f"{self.instructions:,} instructions, {self.stack:,} bytes of stack, {bits}. "
            f"The bar is {self.kind}, and the answer is: {self.answer}."
        )

    def __repr__(self) -> str:
        return self.text


@cache
def recorded() -> dict[str, dict[str, int]]:
    """Return recorded runs on the board, by key of the choice."""
    found: dict[str, dict[str, int]] = json.loads(RECORDED.read_text("utf-8"))
    return found


def run(setting: FitSetting, *, use_recorded: bool = False) -> FitRun:
    """Run the network of a choice.

    Parameters
    ----------
    setting
        The choice; it must be one that can be exported.
    use_recorded
        Whether to take the recorded run on the board where there is one.

    Raises
    ------
    AidgeError
        For a choice that cannot be exported, or without tools and recorded run.
    """
    setting = replace(setting, variant="")  # the program gets the image from outside
    state, key = state_of(setting), setting.key
    if state.arena is None:
        raise AidgeError.at("run", "the C export does not do this", found=key)
    view, _ = network(setting)
    plan = plan_memory(view, order_of(view, setting), parts=True, by_rows=setting.rows)
    seen, kind = picture()
    ran = run_in_arena(view, plan, [seen])
    whole, _ = network(FitSetting())
    wanted = run_in_arena(whole, plan_memory(whole), [seen]).outputs[0]
    same = np.asarray(ran.outputs[0]).tobytes() == np.asarray(wanted).tobytes()
    if has_tools() and not use_recorded:
        on_board = measure(setting)
    elif key in recorded():
        on_board = recorded()[key]
    else:
        raise AidgeError.at("run", f"there is no recorded run, and no {', '.join(TOOLS)}")
    is_recorded = use_recorded or not has_tools()
    return FitRun(
        kind,
        KINDS[int(np.argmax(np.asarray(ran.outputs[0])))],
        ran.touched,
        plan.peak,
        same and bool(on_board["is_equal"]),
        on_board["instructions"],
        on_board["stack"],
        is_recorded,
    )


def measure(setting: FitSetting) -> dict[str, int]:
    """Build the program of a choice, run it on the emulated board, and return its figures."""
    view, _ = network(setting)
    with tempfile.TemporaryDirectory() as folder:
        plan, inputs = program_plan(view, setting), [picture()[0]]
        package = export(view, Path(folder) / NAME, name=NAME, inputs=inputs, plan=plan)
        found = package.run_on(BOARD)
    return {
        "instructions": found.instructions,
        "stack": found.stack,
        "is_equal": int(found.is_equal),
    }
