"""Draw a board of memory blocks as the live one shows it: blocks, overlaps, peak, and the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from aidge_nb.widgets.shared import COLOURS
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    INK,
    LINE,
    document,
    fit,
    line,
    rect,
    text,
)

Blocks = Mapping[str, tuple[int, int, int]]
Offsets = Mapping[str, int]

_WIDTH, _HEIGHT, _FOOT = 640.0, 360.0, 30.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 48.0, 12.0, 12.0, 24.0
_COLOURS = COLOURS["board"]
_GOOD, _WARN = COLOURS["light"]["good"], COLOURS["light"]["warn"]
_MOST_TICKS = 30


def draw_board(blocks: Blocks, offsets: Offsets, best: int, fast: int = 0) -> str:
    """Draw blocks at their offsets in bytes, as SVG; a best of 0 is not told.

    With a fast memory of so many bytes, it is below, and the slow one above.

    Examples
    --------
    >>> svg = draw_board({"a": (0, 2, 4), "b": (1, 3, 4)}, {"a": 0, "b": 2}, 8)
    >>> "a, b overlap." in svg
    True
    """
    said = verdict(blocks, offsets, best, fast)
    board = {**blocks, "": (0, 1, fast)} if fast else blocks  # as high as both memories
    parts = [*_axes(board, fast or best, fast), *_blocks(board, offsets, fast)]
    parts += _memories(board, fast) if fast else _levels(blocks, offsets, best)
    parts.append(text(_LEFT, _HEIGHT + _FOOT - 12, said, 'font-weight="600"'))
    return document(_WIDTH, _HEIGHT + _FOOT, f"Blocks of memory on a board. {said}", parts)


def verdict(blocks: Blocks, offsets: Offsets, best: int, fast: int = 0) -> str:
    """Say what the live board says about a layout."""
    bad = overlapping(blocks, offsets, fast)
    if bad:
        return (
            f"{', '.join(bad)}{': on another block, or in both memories' if fast else ' overlap'}."
        )
    if fast:
        slow = sum(size for name, (_, _, size) in blocks.items() if offsets[name] >= fast)
        end = "." if slow > best else ": no fewer are possible. Solved!"
        return f"{slow} bytes lie in the slow memory{end}"
    found = _peak(blocks, offsets)
    if not best:
        return f"Peak {found} bytes."
    if found <= best:
        return f"Peak {found} bytes: it cannot be lower. Solved!"
    score = int(100 * best / found + 0.5)
    return f"Peak {found} bytes; {best} are possible. Score {score} %."


def overlapping(blocks: Blocks, offsets: Offsets, fast: int = 0) -> list[str]:
    """List the blocks that hold a byte that another one holds at the same tick.

    Those that lie in the fast memory and above it are listed, too.
    """
    crossing = (
        name for name, (_, _, size) in blocks.items() if offsets[name] < fast < offsets[name] + size
    )
    found: dict[str, None] = dict.fromkeys(crossing)
    for one, other in combinations(blocks, 2):
        (low, up, size), (lower, upper, length) = blocks[one], blocks[other]
        a, b = offsets[one], offsets[other]
        if max(low, lower) < min(up, upper) and max(a, b) < min(a + size, b + length):
            found |= {one: None, other: None}
    return list(found)


def _peak(blocks: Blocks, offsets: Offsets) -> int:
    return max((offsets[name] + size for name, (_, _, size) in blocks.items()), default=0)


def _bytes(blocks: Blocks) -> int:
    """Count the bytes that the board shows: all blocks on top of each other fit."""
    return max(1, sum(size for _, _, size in blocks.values()))


def _ticks(blocks: Blocks) -> int:
    return max((upper for _, upper, _ in blocks.values()), default=1)


def _x(blocks: Blocks, tick: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * tick / _ticks(blocks)


def _y(blocks: Blocks, byte: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - byte / _bytes(blocks))


def _axes(blocks: Blocks, best: int, fast: int) -> Iterator[str]:
    bottom, step = _y(blocks, 0), max(1, -(-_ticks(blocks) // _MOST_TICKS))
    for tick in range(0, _ticks(blocks) + 1, step):
        x = _x(blocks, tick)
        yield line(x, _TOP, x, bottom, f'stroke="{LINE}"')
        if tick < _ticks(blocks):  # a tick is a column, not its border
            yield text(
                _x(blocks, tick + 0.5), _HEIGHT - 6, str(tick) if tick else "tick 0", CENTRED
            )
    for byte in {0, best, _bytes(blocks)}:
        shown = byte - fast if byte > fast else byte
        yield text(_LEFT - 6, _y(blocks, byte) + 4, str(shown), AT_END)


def _blocks(blocks: Blocks, offsets: Offsets, fast: int) -> Iterator[str]:
    shown = {name: block for name, block in blocks.items() if name}
    bad = overlapping(shown, offsets, fast)
    labels = []  # above all blocks, so that one that is covered keeps its name
    for name, (lower, upper, size) in shown.items():
        x, y = _x(blocks, lower) + 1, _y(blocks, offsets[name] + size)
        wide, high = _x(blocks, upper) - x - 1, _y(blocks, 0) - _y(blocks, size) - 1
        fill = _WARN if name in bad else _COLOURS["block"]
        dash = ' stroke-dasharray="4 2"' if name in bad else ""
        yield rect(x, y, wide, high, f'fill="{fill}" stroke="{_COLOURS["edge"]}"{dash}')
        label = fit(f"{name} ({size})", wide - 4)
        style = f'fill="{_COLOURS["text"]}" {CENTRED}'
        labels.append(text(x + wide / 2, y + high / 2 + 4, label, style))
    yield from labels


def _levels(blocks: Blocks, offsets: Offsets, best: int) -> Iterator[str]:
    right, marks = _WIDTH - _RIGHT, f'stroke="{_GOOD}" stroke-width="2" stroke-dasharray="6 3"'
    lowest, peak = _y(blocks, best), _y(blocks, _peak(blocks, offsets))
    if best:
        yield line(_LEFT, lowest, right, lowest, marks)
    yield line(_LEFT, peak, right, peak, f'stroke="{INK}" stroke-width="1.5"')


def _memories(blocks: Blocks, fast: int) -> Iterator[str]:
    """Draw the border of two memories, and their names."""
    border = _y(blocks, fast)
    yield line(_LEFT, border, _WIDTH - _RIGHT, border, f'stroke="{INK}" stroke-width="1.5"')
    yield text(_LEFT + 6, border + 14, "fast")
    yield text(_LEFT + 6, _TOP + 14, "slow")
