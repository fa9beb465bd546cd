# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.quantization.compare import LayerError
from aidge_nb.quantization.compare import LayerSteps
from aidge_nb.quantization.compare import errors_by_layer
from aidge_nb.quantization.compare import steps_by_layer
from aidge_nb.quantization.equalize import equalize_layers
from aidge_nb.quantization.integer import IntegerReport
from aidge_nb.quantization.integer import to_integer
from aidge_nb.quantization.kinds import is_quantized
from aidge_nb.quantization.mixed import LayerPrice
from aidge_nb.quantization.post_training import QuantizedNetwork
from aidge_nb.quantization.post_training import QuantizedTensor
from aidge_nb.quantization.post_training import quantize

__all__ = [
    "IntegerReport",
    "to_integer",
    "is_quantized",
    "LayerError",
    "LayerSteps",
    "errors_by_layer",
    "steps_by_layer",
    "QuantizedNetwork",
    "QuantizedTensor",
    "quantize",
    "LayerPrice",
    "equalize_layers",
]
