"""``python -m aidge_nb.compat SCRIPT [ARGUMENT …]``: run a script written for Aidge."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from traceback import StackSummary, TracebackException
from types import TracebackType

from aidge_nb.compat.finder import install

USAGE = """usage: python -m aidge_nb.compat [--force] SCRIPT.py [ARGUMENT ...]

Runs a script written for Aidge on aidge_nb. A package of Aidge that is installed is left alone;
--force stands in for it all the same. `--table` prints which names of Aidge are served,
and how many small probes of it have the same answer here."""


def main(arguments: Sequence[str]) -> int:
    """Run the command; give its exit code."""
    words = list(arguments)
    if words[:1] == ["--table"]:
        from aidge_nb.compat.table import api_table

        sys.stdout.write(api_table(with_probes=True).to_markdown())
        return 0
    force = words[:1] == ["--force"]
    script, *rest = words[force:] or [""]
    if not script or script in ("-h", "--help"):
        sys.stdout.write(USAGE + "\n")
        return 0 if script else 2
    if not Path(script).is_file():
        sys.stderr.write(f"{script}: there is no such file\n")
        return 2
    install(force)
    sys.argv = [script, *rest]
    sys.path.insert(0, str(Path(script).resolve().parent))
    runpy.run_path(script, run_name="__main__")
    return 0


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error of a script without the frames of this package."""
    shown = TracebackException(kind, error, trace)
    names = [frame.filename for frame in shown.stack]
    if sys.argv[0] in names:
        ours = str(Path(__file__).parent)
        frames = shown.stack[names.index(sys.argv[0]) :]
        kept = [frame for frame in frames if not frame.filename.startswith(ours)]
        shown.stack = StackSummary.from_list(kept)
    sys.stderr.writelines(shown.format())


if __name__ == "__main__":
    sys.excepthook = _show
    sys.exit(main(sys.argv[1:]))
