"""Networks on integers: graphs of quantized layers that compute on codes of 8 bits.

Examples
--------
>>> import aidge_nb
>>> from aidge_nb import quantization
>>> graph = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
>>> print(quantization.to_integer(graph))
no quantized layers
"""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Graphs of QuantizeLinear and DequantizeLinear nodes
        "integer": "IntegerReport to_integer",
        "kinds": "is_quantized",
        "compare": "LayerError LayerSteps errors_by_layer steps_by_layer",
        # Quantizing after training
        "post_training": "QuantizedNetwork QuantizedTensor quantize",
        "mixed": "LayerPrice",
        "equalize": "equalize_layers",
    },
)
