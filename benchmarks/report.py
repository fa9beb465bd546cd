"""What ``aidge-nb report`` costs on MobileNetV2, as a multiple of loading the file with onnx."""

import sys
import tempfile
from pathlib import Path

from aidge_nb import zoo
from common import command, compare, show

LOAD = "import sys, onnx; onnx.load(sys.argv[1])"
REPORT = "import sys; from aidge_nb.cli import main; sys.exit(main(sys.argv[1:]))"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        model, page = Path(folder, "mobilenet_v2.onnx"), Path(folder, "report.html")
        zoo.mobilenet_v2(size=224).save(model)
        arguments = ["report", str(model), "-o", str(page), "--quiet"]
        report = command("aidge-nb report", [sys.executable, "-c", REPORT, *arguments])
        load = command("onnx.load", [sys.executable, "-c", LOAD, str(model)])
        show(compare("report", report, load, limit=5))


if __name__ == "__main__":
    main()
