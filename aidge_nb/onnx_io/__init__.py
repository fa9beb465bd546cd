"""Read and write ONNX: files and models as plain data, and as graphs.

:func:`read_onnx` gives what a file says (:class:`OnnxModel`); :func:`load_onnx` gives the graph to
schedule, plan and run; :func:`save_onnx` writes one.
"""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Reading
        "load": "LoadReport load_onnx",
        "read.proto": "read_onnx",
        # Writing
        "save": "save_onnx to_onnx",
        # Models as plain data
        "ir": "AttributeReference OnnxFunction OnnxGraph OnnxNode OnnxValue",
        "model": "OnnxModel OnnxSignature",
    },
)
