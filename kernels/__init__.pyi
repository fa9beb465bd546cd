# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.kernels.registry import Kernel
from aidge_nb.kernels.registry import can_be_placed
from aidge_nb.kernels.registry import can_skip_outputs
from aidge_nb.kernels.registry import can_write_into
from aidge_nb.kernels.registry import find_kernel
from aidge_nb.kernels.registry import kernel

__all__ = [
    "Kernel",
    "can_be_placed",
    "can_skip_outputs",
    "can_write_into",
    "find_kernel",
    "kernel",
]
