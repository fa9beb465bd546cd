"""Collections that are put off."""

from __future__ import annotations

import subprocess
import sys


def test_what_is_put_off_for_good_is_not_looked_at_again() -> None:
    program = (
        "import gc\n"
        "from aidge_nb.core.garbage import put_off_collection\n"
        "with put_off_collection(): made = [[] for _ in range(10_000)]\n"
        "print(gc.get_freeze_count() < 10_000, gc.isenabled())\n"
        "with put_off_collection(for_good=True): made = [[] for _ in range(10_000)]\n"
        "print(gc.get_freeze_count() > 10_000, gc.isenabled())"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.split() == ["True"] * 4, ran.stderr
