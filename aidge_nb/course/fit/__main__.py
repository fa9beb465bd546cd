"""Write the page, or record the runs anew.

python -m aidge_nb.course.fit PAGE        write "Fit it in 16 KB" as one file
python -m aidge_nb.course.fit --record    train the network, run all that fits, keep what it gives
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from aidge_nb.course.fit.game import FitGame
from aidge_nb.course.fit.moves import LEVELS, settings
from aidge_nb.course.fit.run import RECORDED, measure
from aidge_nb.course.fit.states import state_of
from aidge_nb.course.fit.trained import record


def main(arguments: Sequence[str]) -> int:
    """Do what is asked for; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m aidge_nb.course.fit PAGE | --record\n")
        return 2
    if arguments[0] == "--record":
        record()
        fitting = [
            setting
            for setting in settings()
            if not setting.variant
            and (arena := state_of(setting).arena) is not None
            and arena <= LEVELS[-1].budget
        ]
        found = {setting.key: measure(setting) for setting in fitting}
        RECORDED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
    else:
        Path(arguments[0]).write_text(FitGame().page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
