"""The command ``aidge-nb quantize``: write a model with weights and activations of 8 bits."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aidge_nb.cli.text import say, table
from aidge_nb.core.errors import AidgeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aidge_nb.quantization.mixed import LayerPrice

Progress = AbstractContextManager[Callable[[str], None]]
Given = tuple[dict[str | int, list[int]], dict[str, int], dict[str, int | float]]

_OPSET = 21
"""Version of the operators in the file: before 13, scales of single channels have no axis."""


def add_quantize_options(command: Any) -> None:
    """Add the options that only this command has."""
    text = "inputs to learn ranges from: a .npy file, or a .npz file with one array for each input"
    command.add_argument("--samples", metavar="FILE", required=True, help=text)
    text = "how ranges are chosen: minmax, percentile, mse (default) or entropy"
    command.add_argument("--ranges", metavar="RULE", default="mse", help=text)
    text = "bits of the weights; default: 8"
    command.add_argument("--weight-bits", type=int, choices=(4, 8), default=8, help=text)
    text = "a layer to leave in floating point; may be repeated"
    command.add_argument("--keep", action="append", default=[], metavar="NAME", help=text)
    text = "least dB of the outputs: layers get int16 codes or stay in float until it holds"
    command.add_argument("--budget", type=float, metavar="DB", help=text)
    text = "let the budget choose floating point alone"
    command.add_argument("--no-int16", action="store_true", help=text)


def run_quantize(options: argparse.Namespace, inputs: Given, progress: Progress) -> None:
    """Run ``aidge-nb quantize``; ``inputs`` are dims, symbols and constants that were given."""
    from aidge_nb.graph.inference import propagate_dims
    from aidge_nb.onnx_io import save_onnx
    from aidge_nb.quantization import quantize
    from aidge_nb.report.source import load_source

    samples = _samples(options.samples)
    loaded = load_source(options.model, *inputs, integer=False)
    propagate_dims(loaded.view, list(loaded.dims), allow_data_dependency=True)
    with progress as stage:
        found = quantize(
            loaded.view,
            samples,
            ranges=options.ranges,
            weight_bits=options.weight_bits,
            keep=options.keep,
            budget=options.budget,
            wide=not options.no_int16,
            progress=stage,
        )
    save_onnx(found.graph, options.output, opset=_OPSET)
    _, report = found.integer()
    rows = [
        (f"{each.sqnr:.1f}", f"{each.low:g}", f"{each.high:g}", f"{each.clipped:.2%}", each.name)
        for each in found.tensors
    ]
    say(table(("dB", "from", "to", "clipped", "tensor"), rows))
    if found.layers:
        say(_prices(found.layers, has_wide=not options.no_int16))
    before, after = found.parameter_bytes
    say(f"outputs {found.sqnr:.1f} dB; parameters {before} bytes, {after} after; {report}\n")


def _prices(layers: Sequence[LayerPrice], *, has_wide: bool) -> str:
    """Return a table of what each layer costs, with codes of 16 bits where they were measured."""
    head, rows = ["dB alone", "more bytes in float"], []
    for each in layers:
        cells = [f"{each.sqnr:.1f}", str(each.more_bytes)]
        if has_wide:
            alone = "" if each.wide_sqnr is None else f"{each.wide_sqnr:.1f}"
            cells += [alone, str(each.wide_bytes)]
        stays = "float" if each.is_float else "int16" if each.is_wide else ""
        rows.append((*cells, stays, each.name))
    head += ["dB on int16", "more bytes on int16"] if has_wide else []
    return table((*head, "type", "layer"), rows)


def _samples(text: str) -> NDArray[Any] | list[NDArray[Any]]:
    """Read the samples.

    Raise AidgeError when the file is not one of arrays.
    """
    import numpy as np

    path = Path(text)
    try:
        found = np.load(path, allow_pickle=False)
        return found if isinstance(found, np.ndarray) else [found[name] for name in found.files]
    except (OSError, ValueError, EOFError) as error:
        expected = "a .npy or .npz file of numbers"
        raise AidgeError.at(f"--samples {text}", "cannot be read", expected=expected) from error
