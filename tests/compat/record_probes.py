"""Asks aidge_core 0.10.1 each probe, and writes its answers.

    python tests/compat/record_probes.py aidge_nb/compat/probes_0_10_1.txt

Run it where these and aidge_core and aidge_backend_cpu 0.10.1 are installed: see PACKAGES,
with this folder's root on PYTHONPATH. Each probe has a process of its own: some end it. Answers
that the file has are asked for again.
"""

import json
import multiprocessing as processes
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from aidge_nb.compat.probes import ARROW, PACKAGES, ask, read_probes

SECONDS = 20


def answer(code: str) -> Any:
    """Ask in a process of its own."""
    here, there = processes.Pipe(duplex=False)
    process = processes.get_context("fork").Process(target=_ask, args=(code, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(SECONDS) else {"raises": "no end"}
    except EOFError:
        return {"raises": "the process ends"}
    finally:
        process.kill()
        process.join()


def _ask(code: str, there: Any) -> None:
    modules = {name: import_module(name) for name in PACKAGES}
    core = import_module("aidge_core")
    core.Log.set_console_level(core.Level.Fatal)
    there.send(ask(code, {"core": core, **modules}))


def main(path: Path) -> None:
    """Write the file anew."""
    for name in ("aidge_core", "aidge_backend_cpu", *PACKAGES):
        import_module(name)
    lines = []
    for line in path.read_text("utf-8").splitlines():
        for probe in read_probes(line):
            if probe.code:
                line = probe.code + ARROW + json.dumps(answer(probe.code))
        lines.append(line)
    path.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
