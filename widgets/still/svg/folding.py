"""Lay out a folded schedule, closed: which stretches of steps are drawn, and where.

The rules are those of ``frontend/src/model/frames.ts``, which opens turns as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.parts import Frame
from aidge_nb.widgets.shared import PANELS

SIZES = PANELS["folded"]
Path = tuple[int, ...]
"""The frames around a piece, from the outside in: the first turn of each is drawn."""


@dataclass(frozen=True, slots=True)
class RulerPiece:
    """A stretch of steps ``t0`` to ``t1`` on the ruler: ``shown``, or a ``break`` or ``chip``.

    ``width`` is what a break or chip asks for; a stretch that is shown takes ``least`` or more.
    """

    kind: str
    t0: int
    t1: int
    path: Path
    title: str
    detail: str
    depth: int
    identity: str
    width: float = 0.0
    least: float = 0.0
    gap: float = 0.0


@dataclass(frozen=True, slots=True)
class Band:
    """A title over a stretch of steps: of a frame, or of what is before or behind one."""

    depth: int
    t0: int
    t1: int
    title: str
    detail: str
    is_frame: bool


@dataclass(frozen=True, slots=True)
class Folding:
    """Pieces from left to right with their places in pixels, and their titles."""

    pieces: tuple[RulerPiece, ...]
    places: tuple[tuple[float, float], ...]
    bands: tuple[Band, ...]

    @property
    def depth(self) -> int:
        """Number of titles above each other."""
        return 1 + max((band.depth for band in self.bands), default=0)

    def x(self, step: float) -> float:
        """Return where a step begins."""
        index = max(0, sum(piece.t0 <= step for piece in self.pieces) - 1)
        return self._across(index, step)

    def end(self, step: float) -> float:
        """Return where a stretch ends that ends before a step."""
        return self._across(max(0, sum(piece.t0 < step for piece in self.pieces) - 1), step)

    def unit(self, index: int) -> float:
        """Return the pixels of a step in a piece."""
        piece, (left, right) = self.pieces[index], self.places[index]
        return (right - left) / (piece.t1 - piece.t0)

    def _across(self, index: int, step: float) -> float:
        piece = self.pieces[index]
        return self.places[index][0] + (step - piece.t0) * self.unit(index)


def fold(frames: Sequence[Frame], steps: int, left: float, right: float) -> Folding:
    """Fold a schedule for a width; close to chips what finds no room."""
    closed: set[str] = set()
    while True:
        folder = _Folder(frames, closed, right - left)
        folder.level(-1, 0, steps, (), 0)
        pieces = tuple(folder.pieces)
        folding = Folding(pieces, tuple(_places(pieces, left, right)), tuple(folder.bands))
        tight = _tightest(folding, right - left)
        if tight is None or tight in closed:
            return folding
        closed.add(tight)


def main_frames(frames: Sequence[Frame], parent: int) -> list[int]:
    """Return the frames at a level, without those not longer than a single turn of another.

    These are drawn where the stretch that they lie in is opened.
    """
    own = [index for index, frame in enumerate(frames) if frame.parent == parent]
    longest = max((frames[index].period for index in own), default=0)
    return [index for index in own if frames[index].stop - frames[index].start > longest]


def equation(frames: Sequence[Frame], parent: int, steps: int) -> str:
    """Write how the parts of a schedule, or of a turn of a frame, add up.

    Examples
    --------
    >>> equation([Frame(0, 17, 8, 47)], -1, 401)
    '17 + 47×8 + 8 = 401'
    """
    at = frames[parent].start if parent >= 0 else 0
    whole = frames[parent].period if parent >= 0 else steps
    end = at + whole
    parts: list[str] = []
    for index in main_frames(frames, parent):
        frame = frames[index]
        if frame.start > at:
            parts.append(grouped(frame.start - at))
        parts.append(f"{grouped(frame.count)}×{grouped(frame.period)}")
        at = frame.stop
    if end > at:
        parts.append(grouped(end - at))
    total = " + ".join(parts)
    return f"{grouped(whole)} = {total}" if parent >= 0 else f"{total} = {grouped(whole)}"


def every_text(frame: Frame) -> str:
    """Say how often a loop turns, and how many steps a turn takes.

    Examples
    --------
    >>> every_text(Frame(0, 17, 8, 47)), every_text(Frame(0, 0, 1, 20000))
    ('×47, every 8 steps', '×20,000, every step')
    """
    every = "step" if frame.period == 1 else _many(frame.period, "step")
    return f"×{grouped(frame.count)}, every {every}"


def steps_text(t0: int, t1: int) -> str:
    """Name a stretch of steps, both ends included.

    Examples
    --------
    >>> steps_text(17, 25), steps_text(3, 4)
    ('steps 17–24', 'step 3')
    """
    return f"step {grouped(t0)}" if t1 - t0 == 1 else f"steps {grouped(t0)}–{grouped(t1 - 1)}"


def grouped(count: int) -> str:
    """Write a whole number; one that has many digits in groups of three."""
    return f"{count:,}" if count >= 10_000 else str(count)


def _many(count: int, word: str) -> str:
    return f"{grouped(count)} {word}{'' if count == 1 else 's'}"


class _Folder:
    """Lists the pieces of a folded schedule."""

    def __init__(self, frames: Sequence[Frame], closed: set[str], width: float) -> None:
        self.pieces: list[RulerPiece] = []
        self.bands: list[Band] = []
        self._frames = frames
        self._closed = closed
        self._width = width

    def level(self, parent: int, t0: int, t1: int, path: Path, depth: int) -> None:
        """List what is in a stretch: frames, and what lies before, between and behind them."""
        main = main_frames(self._frames, parent)
        others = [
            frame
            for index, frame in enumerate(self._frames)
            if frame.parent == parent and index not in main
        ]
        at = t0
        names = ["before" if path else "prologue", *["between"] * len(main)]
        names[-1] = ("behind" if path else "epilogue") if main else "steps"
        for index, name in zip([*main, None], names, strict=True):
            stop = t1 if index is None else self._frames[index].start
            has_loops = any(at <= frame.start < stop for frame in others)
            self._stretch(name, at, stop, path, depth, has_loops)
            if index is not None:
                self._frame(index, path, depth)
                at = self._frames[index].stop

    def _stretch(
        self, name: str, t0: int, t1: int, path: Path, depth: int, has_loops: bool
    ) -> None:
        if t1 <= t0:
            return
        identity, length = f"{name} {t0}", _many(t1 - t0, "step")
        detail = steps_text(t0, t1)
        title = f"{length} {name}" if path else name
        if identity in self._closed or has_loops:
            self._chip(t0, t1, path, title, detail, depth, identity)
            return
        if name != "steps":
            above = title if path else f"{name}: {length}"
            self.bands.append(Band(depth, t0, t1, above, detail, False))
        self.pieces.append(RulerPiece("shown", t0, t1, path, title, detail, depth, identity))

    def _chip(
        self, t0: int, t1: int, path: Path, title: str, detail: str, depth: int, identity: str
    ) -> None:
        width, gap = _wide("chip", self._width), SIZES["chip"]["gap"]
        self.pieces.append(
            RulerPiece("chip", t0, t1, path, title, detail, depth, identity, width, gap=gap)
        )

    def _frame(self, index: int, path: Path, depth: int) -> None:
        frame = self._frames[index]
        begin, end, period = frame.start, frame.stop, frame.period
        identity, title = f"f{index} {begin}", every_text(frame)
        if depth >= SIZES["levels"] or identity in self._closed:
            self._chip(begin, end, path, title, steps_text(begin, end), depth, identity)
            return
        detail = f"turn 1 of {grouped(frame.count)}: {steps_text(begin, begin + period)}"
        self.bands.append(Band(depth, begin, begin + period, title, detail, True))
        own = (*path, index)
        if main_frames(self._frames, index):
            self.level(index, begin, begin + period, own, depth + 1)
        else:
            dense = SIZES["dense"]
            is_long = period > dense["steps"]
            least = self._width * dense["share"] if is_long else SIZES["least"]
            self.pieces.append(
                RulerPiece(
                    "shown", begin, begin + period, own, title, detail, depth, identity, 0.0, least
                )
            )
        if frame.count > 1:
            more = _many(frame.count - 1, "more turn")
            left = steps_text(begin + period, end)
            width = _wide("break", self._width)
            self.pieces.append(
                RulerPiece("break", begin + period, end, path, more, left, depth, "", width)
            )


def _wide(kind: str, width: float) -> float:
    size = SIZES[kind]
    return float(min(size["most"], max(size["least"], width * size["share"])))


def _tightest(folding: Folding, width: float) -> str | None:
    """Return what to close to a chip where steps are too narrow: the longest stretch first."""
    shown = [index for index, piece in enumerate(folding.pieces) if piece.kind == "shown"]
    if len(shown) < 2 or all(folding.unit(index) >= SIZES["step"] for index in shown):
        return None
    large = []
    for index in shown:
        piece = folding.pieces[index]
        is_stretch = not piece.identity.startswith("f")
        room = (piece.t1 - piece.t0) * folding.unit(index)
        if (is_stretch or piece.depth > 0) and room > _wide("chip", width):
            large.append((not is_stretch, piece.t0 - piece.t1, piece.identity))
    return min(large)[2] if large else None


def _places(
    pieces: Sequence[RulerPiece], left: float, right: float
) -> Iterator[tuple[float, float]]:
    at = left
    for piece, width in zip(pieces, _shares(pieces, right - left), strict=True):
        begin = at + piece.gap
        at = begin + width
        yield begin, at


def _shares(pieces: Sequence[RulerPiece], width: float) -> list[float]:
    """Divide a width among pieces: breaks and chips as they ask, the others by their length."""
    width -= sum(piece.gap for piece in pieces)
    shown = [index for index, piece in enumerate(pieces) if piece.kind == "shown"]
    wanted = sum(piece.width for piece in pieces)
    scale = min(1.0, width * (0.5 if shown else 1.0) / max(1.0, wanted))
    held: dict[int, float] = {}
    while True:
        free = max(0.0, width - wanted * scale - sum(held.values()))
        rest = [index for index in shown if index not in held]
        unit = free / max(1, sum(pieces[index].t1 - pieces[index].t0 for index in rest))
        narrow = [
            index
            for index in rest
            if pieces[index].least > (pieces[index].t1 - pieces[index].t0) * unit + 1e-9
        ]
        if not narrow or len(narrow) == len(shown):
            return [
                held.get(index, (piece.t1 - piece.t0) * unit)
                if piece.kind == "shown"
                else piece.width * scale
                for index, piece in enumerate(pieces)
            ]
        held.update((index, pieces[index].least) for index in narrow)
