"""Measure what ``aidge-nb report`` costs on MobileNetV2, in times of loading with onnx.

Both are fresh processes with their bytecode at hand, as after the first use; processor time counts.
"""

import sys
import tempfile
from pathlib import Path

from aidge_nb import zoo
from common import compare, processor, show

LOAD = "import sys, onnx; onnx.load(sys.argv[1])"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        model, caches = Path(folder, "mobilenet_v2.onnx"), Path(folder, "bytecode")
        zoo.mobilenet_v2(size=224).save(model)
        arguments = ["report", str(model), "-o", str(Path(folder, "report.html")), "--quiet"]
        command = [sys.executable, "-m", "aidge_nb", *arguments]
        report = processor("aidge-nb report", command, caches)
        load = processor("onnx.load", [sys.executable, "-c", LOAD, str(model)], caches)
        show(compare("report", report, load, limit=2.5, pairs=15))


if __name__ == "__main__":
    main()
