"""What ten times as many firings cost when a flat schedule is folded; quadratic would be 100."""

import subprocess
import sys
import time
from collections.abc import Callable

from aidge_nb.scheduling.schedule.repetitions import find_sections
from common import Side, compare, show

FIRINGS = 160_000


def _fibonacci(length: int) -> list[int]:
    one, other = [0], [0, 1]
    while len(other) < length:
        one, other = other, other + one
    return other[:length]


def _random(length: int, letters: int = 3) -> list[int]:
    state, word = 1, []
    for _ in range(length):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        word.append((state >> 33) % letters)
    return word


ACTORS: dict[str, Callable[[int], list[int]]] = {
    "loop of 40": lambda length: [number % 40 for number in range(length)],
    "pipeline": lambda length: (([0, 0, 1] * 41 + [2]) * length)[:length],
    "one actor": lambda length: [0] * length,
    "fibonacci": _fibonacci,
    "random": _random,
    "all differ": lambda length: list(range(length)),
}
"""Who fires, in order: what repeats, what nearly does, and what does not."""


def _side(kind: str, firings: int) -> Side:
    """Fold in a fresh process, which prints the time that the folding alone took."""

    def measure() -> float:
        arguments = [sys.executable, __file__, kind, str(firings)]
        ran = subprocess.run(arguments, check=True, capture_output=True, text=True)
        return float(ran.stdout)

    return Side(f"{firings:,} firings", measure)


def _fold(kind: str, firings: int) -> float:
    keys = [(actor, step, step) for step, actor in enumerate(ACTORS[kind](firings))]
    start = time.perf_counter()
    find_sections(keys)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print; with arguments, fold once."""
    if len(sys.argv) > 1:
        print(_fold(sys.argv[1], int(sys.argv[2])))
        return
    show(
        *(
            compare(
                f"fold {kind}", _side(kind, FIRINGS), _side(kind, FIRINGS // 10), limit=20, pairs=5
            )
            for kind in ACTORS
        )
    )


if __name__ == "__main__":
    main()
