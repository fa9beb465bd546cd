"""The peer of export.py: exports a model with aidge_export_cpp, in an environment that has it.

    PYTHON benchmarks/export_aidge.py MODEL.onnx FOLDER 1x3x224x224 [DFORMAT]

Flatten has no implementation there, and batch normalization is folded as we do.
"""

from __future__ import annotations

import sys

import aidge_backend_cpu  # noqa: F401  # registers itself
import aidge_core
import aidge_export_cpp  # noqa: F401  # registers itself
import aidge_onnx
import numpy as np
from aidge_core.export_utils import export
from aidge_core.export_utils.config import ExportConfig


def main(path: str, folder: str, shape: str, *dformat: str) -> None:
    """Export, and compile nothing."""
    model = aidge_onnx.load_onnx(path)
    aidge_core.remove_flatten(model)
    aidge_core.fuse_batchnorm(model)
    dims = [int(each) for each in shape.split("x")]
    values = np.random.default_rng(0).standard_normal(dims).astype(np.float32)
    options = {"dformat": dformat[0]} if dformat else {}
    config = ExportConfig(
        target="host", export_folder=folder, dtype="float32", compile=False, **options
    )
    export(model, config=config, input_tensors=[aidge_core.Tensor(values)])


if __name__ == "__main__":
    main(*sys.argv[1:])
