"""The whole matrix of compilers, levels and boards: by hand, for it takes hours.

    python -m tests.export.matrix [--graphs 300] [--from 1000] [--no-models] [WHERE ...]

WHERE is a compiler with its optimization (``"clang -O3 -march=native"``) or a board
(``mps2-an385``); all of them by default. Every random graph and every model of the zoo, small, is
exported, built and compared there, layer by layer. What differs is told; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aidge_nb.export import BOARDS, ExportedPackage, check_export, export
from aidge_nb.graph import GraphView
from tests.export.building import VARIANTS, BoardBuilder, Builder
from tests.export.fuzz import random_view
from tests.export.models import zoo_small
from tests.zoo.small import SMALL

HOSTS = tuple(" ".join(variant) for variant in VARIANTS)
EMULATED = tuple(board for board in BOARDS if board != "mps3-an547")


def builder_for(where: str, folder: Path) -> Builder:
    """Make what builds for a compiler and its optimization, or for a board."""
    if where in BOARDS:
        return BoardBuilder(folder, where)
    compiler, _, opt = where.partition(" ")
    return Builder(folder, compiler, opt)


def graphs(first: int, count: int, models: bool) -> Iterator[tuple[str, GraphView]]:
    """Make random graphs, and the models of the zoo."""
    for seed in range(first, first + count):
        yield f"random{seed}", random_view(seed)
    for name in SMALL if models else ():
        yield name, zoo_small(name)


def differences(where: str, first: int, count: int, models: bool) -> tuple[int, list[str]]:
    """Count the programs that ran, and say which differ in what."""
    ran, found = 0, []
    with tempfile.TemporaryDirectory() as folder:
        builder = builder_for(where, Path(folder) / "kernels")
        for name, view in graphs(first, count, models):
            path = Path(folder) / "package"
            package: ExportedPackage = export(view, path, name=name, force=True)
            check_export(package.plan)
            said = builder.check(package)
            ran += 1
            if said:
                found.append(f"{where}, {name}: {said.strip()}")
    return ran, found


def main() -> None:
    """Tell how many programs ran, and what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("where", nargs="*", metavar="WHERE", default=[])
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--from", type=int, default=1000, dest="first")
    parser.add_argument("--no-models", action="store_false", dest="models")
    options = parser.parse_args()
    failed = False
    for where in options.where or (*HOSTS, *EMULATED):
        ran, found = differences(where, options.first, options.graphs, options.models)
        failed |= bool(found)
        with_models = " and the zoo" if options.models else ""
        sys.stdout.write(
            f"{where}: random graphs {options.first} to {options.first + options.graphs - 1}"
            f"{with_models}: {ran} programs, {len(found)} with differing bits\n"
        )
        for each in found:
            sys.stdout.write(f"  {each}\n")
        sys.stdout.flush()
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
