"""Outlines as points: paths of an SVG that this package wrote, and round rectangles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from aidge_nb.widgets.still.png.pixels import Point

_TOKEN = re.compile(r"[MLHVhvCcZzl]|-?\d*\.?\d+(?:e-?\d+)?")
_CURVE = 12  # lines for each curve


def rounded(x: float, y: float, width: float, height: float, radius: float) -> Iterator[Point]:
    """Go around a rectangle, its corners cut in three steps."""
    if radius <= 0:
        yield from ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        return
    turns = [(0.0, -1.0), (0.5, -0.866), (0.866, -0.5), (1.0, 0.0)]
    left, right, top, bottom = x + radius, x + width - radius, y + radius, y + height - radius
    for cx, cy in ((right, top), (right, bottom), (left, bottom), (left, top)):
        for across, down in turns:
            yield cx + radius * across, cy + radius * down
        turns = [(-down, across) for across, down in turns]  # a quarter further


def contours(data: str) -> Iterator[list[Point]]:
    """Read the contours of a path; curves become lines."""
    tokens = _TOKEN.findall(data)
    points: list[Point] = []
    at, command = 0, ""
    x = y = 0.0

    def numbers(count: int) -> list[float]:
        nonlocal at
        found = [float(token) for token in tokens[at : at + count]]
        at += count
        return found

    while at < len(tokens):
        if tokens[at][0].isalpha():
            command = tokens[at]
            at += 1
        if command in "Zz":
            continue
        if command == "M":
            if points:
                yield points
            x, y = numbers(2)
            points = [(x, y)]
            command = "L"
            continue
        if command == "C":
            ax, ay, bx, by, ex, ey = numbers(6)
            points += _curve((x, y), (ax, ay), (bx, by), (ex, ey))
            x, y = ex, ey
            continue
        x, y = _step(command, x, y, numbers)
        points.append((x, y))
    if points:
        yield points


def _step(command: str, x: float, y: float, take: Callable[[int], list[float]]) -> Point:
    """Follow a straight part of a path."""
    if command in "Hh":
        (value,) = take(1)
        return (value if command == "H" else x + value), y
    if command in "Vv":
        (value,) = take(1)
        return x, (value if command == "V" else y + value)
    dx, dy = take(2)
    return (dx, dy) if command == "L" else (x + dx, y + dy)


def _curve(start: Point, one: Point, two: Point, end: Point) -> list[Point]:
    found = []
    for step in range(1, _CURVE + 1):
        t = step / _CURVE
        u = 1 - t
        weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        points = (start, one, two, end)
        found.append(
            (
                sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
                sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
            )
        )
    return found


def is_box(points: list[Point]) -> bool:
    """Check that a contour is a rectangle parallel to the picture's sides."""
    if len(points) != 4:
        return False
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    return ay == by and bx == cx and cy == dy and abs(dx - ax) < 1e-6 and cx > ax and cy > ay
