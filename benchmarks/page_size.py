"""How large the report page is: the promise is 3 MB for a graph of 500 nodes."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from aidge_nb import zoo
from aidge_nb.cli import main as aidge_nb
from common import write

LIMIT = 3_000_000  # bytes, at NODES operators
NODES = 500
MODELS = {
    "squeezenet": zoo.squeezenet,
    "mobilenet_v2": zoo.mobilenet_v2,
    "resnet50": zoo.resnet50,
}


def main() -> None:
    """Write a report for each model; print its size, and what it grows by with each operator."""
    print(f"{'model':<16} {'nodes':>6} {'page':>10}   page at {NODES} nodes (promised < {LIMIT:,})")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        empty = page_size(zoo.lenet().save, folder)
        for label, build in MODELS.items():
            model = build()
            nodes, size = len(model.nodes), page_size(model.save, folder)
            expected = round(empty + (size - empty) * NODES / nodes)
            print(f"{label:<16} {nodes:>6} {size:>10,}   {expected:>10,}")
            figures = {"nodes": nodes, "bytes": size, "bytes_at_500_nodes": expected}
            write(f"page_size_{label}", {**figures, "limit": LIMIT})


def page_size(save: Callable[[Path], object], folder: Path) -> int:
    """Return the size in bytes of the report on the model that `save` writes."""
    model, page = folder / "model.onnx", folder / "report.html"
    save(model)
    code = aidge_nb(["report", str(model), "-o", str(page), "--quiet"])
    if code:
        raise SystemExit(code)
    return page.stat().st_size


if __name__ == "__main__":
    main()
