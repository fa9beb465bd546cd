# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.kernels.c.calls import CCall
from aidge_nb.kernels.c.calls import Constant
from aidge_nb.kernels.c.calls import In
from aidge_nb.kernels.c.calls import NULL
from aidge_nb.kernels.c.calls import Null
from aidge_nb.kernels.c.calls import Out
from aidge_nb.kernels.c.calls import Scratch
from aidge_nb.kernels.c.calls import Site
from aidge_nb.kernels.c.calls import TensorType
from aidge_nb.kernels.c.calls import c_kernel
from aidge_nb.kernels.c.node_calls import c_calls
from aidge_nb.kernels.c.node_calls import describe_site
from aidge_nb.kernels.c.node_calls import find_c_kernel
from aidge_nb.kernels.c.node_calls import has_c_kernel
from aidge_nb.kernels.c.units import Unit
from aidge_nb.kernels.c.units import add_unit
from aidge_nb.kernels.c.units import find_unit
from aidge_nb.kernels.c.units import struct_of
from aidge_nb.kernels.c.units import units_of

__all__ = [
    "CCall",
    "Constant",
    "In",
    "NULL",
    "Null",
    "Out",
    "Scratch",
    "Site",
    "TensorType",
    "c_kernel",
    "c_calls",
    "describe_site",
    "find_c_kernel",
    "has_c_kernel",
    "Unit",
    "add_unit",
    "find_unit",
    "struct_of",
    "units_of",
]
