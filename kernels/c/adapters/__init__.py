"""Adapters: from a node to the calls that compute it, one module per family of operators."""

from importlib import import_module

from aidge_nb.kernels.registry import FAMILIES

for family in (
    *FAMILIES,
    "quantization",
    "products",
    "codes",
    "recurrent",
    "packed_codes",
    "tflite",
    "tflite_wide",
):
    import_module(f"{__name__}.{family}")
