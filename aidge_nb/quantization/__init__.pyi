# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.quantization.integer import IntegerReport
from aidge_nb.quantization.integer import is_quantized
from aidge_nb.quantization.integer import to_integer

__all__ = [
    "IntegerReport",
    "is_quantized",
    "to_integer",
]
