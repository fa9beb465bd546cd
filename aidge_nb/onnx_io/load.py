"""Load ONNX models as graphs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from aidge_nb.core.errors import listed
from aidge_nb.core.log import NOTICE, logger
from aidge_nb.core.values import dataclass
from aidge_nb.graph.inputs import UNREAD
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.model import OnnxModel, OnnxSignature
from aidge_nb.onnx_io.read.proto import read_prepared


@dataclass(frozen=True)
class LoadReport:
    """Counts of native and generic nodes after loading a model.

    Attributes
    ----------
    native
        Name and ONNX operator of each node that can run.
    generic
        Name, ONNX operator and reason of each node that can be looked at only.

    Examples
    --------
    >>> print(LoadReport((("conv", "Conv"),), (("nms", "NonMaxSuppression", "no such operator"),)))
    Native operators: 1 (1 types)
    - - conv (Conv)
    Generic operators: 1 (1 types)
    - - nms (NonMaxSuppression): no such operator
    """

    native: tuple[tuple[str, str], ...]
    generic: tuple[tuple[str, str, str], ...]

    def lines(self) -> list[str]:
        """Return the report line by line."""
        lines = [f"Native operators: {len(self.native)} ({_types(self.native)} types)"]
        lines += [f"- - {name} ({op_type})" for name, op_type in self.native]
        if self.generic:
            lines.append(f"Generic operators: {len(self.generic)} ({_types(self.generic)} types)")
            lines += [f"- - {name} ({op_type}): {why}" for name, op_type, why in self.generic]
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _types(entries: Sequence[tuple[str, ...]]) -> int:
    return len({entry[1] for entry in entries})


def load_onnx(
    model: Any,
    verbose: bool = False,
    dims: Mapping[str, Sequence[int]] | None = None,
    constants: Mapping[str, ArrayLike] | None = None,
) -> GraphView:
    """Load an ONNX model as a graph.

    Nodes keep their names (one without takes that of its first output); initializers become
    Producers under their own name. Operators that this library has not become generic ones: the
    graph can be looked at, and running it says which operator is missing.

    Parameters
    ----------
    model
        Path, bytes, ``onnx.ModelProto``, or :class:`OnnxModel`; see :func:`read_onnx`.
    verbose
        Whether to write to the standard output which operators are native and which generic.
        The report is logged in any case, and kept in ``view.annotations["onnx.report"]``.
    dims
        Dimensions of inputs by name, where the model leaves them open and an operator (automatic
        padding, a loop, a branch) needs them; the graph then holds for these alone. It has no
        dimensions until ``forward_dims`` all the same.
    constants
        Values of inputs by name; they become Producers, and decide branches.

    Returns
    -------
    GraphView
        Inputs and outputs are ordered as in the model; what it declares about them is in
        ``view.annotations["onnx"]``, an :class:`OnnxSignature`. Nodes that no output depends
        on are left out. Inputs that nothing reads then keep their place: data for them are ignored.

    Raises
    ------
    OnnxError
        When the model cannot be read, has no such input, or what is given for it is no dims or
        no array.

    Examples
    --------
    >>> from aidge_nb import zoo
    >>> view = load_onnx(zoo.build("tiling_model"), verbose=True)
    Native operators: 4 (4 types)
    - - leakyrelu0 (LeakyRelu)
    - - conv0 (Conv)
    - - bn0 (BatchNormalization)
    - - relu0 (Relu)
    >>> view.forward_dims([[4, 3, 66, 66]])
    True
    """
    from aidge_nb.onnx_io.convert import convert_node
    from aidge_nb.onnx_io.convert.conversion import Conversion
    from aidge_nb.onnx_io.convert.functions import for_expansion, with_bodies_of_functions
    from aidge_nb.onnx_io.read.inline import inline_functions
    from aidge_nb.onnx_io.read.inputs import given_dims, with_constants

    given = for_expansion(model) if isinstance(model, OnnxModel) else model
    read = inline_functions(read_prepared(given, with_bodies_of_functions))
    sizes = given_dims(read, dims)
    read = with_constants(read, constants)
    source = read.source or read.name
    conversion = Conversion(read, sizes, convert_node)
    for node in read.nodes:
        conversion.convert(node)
    view = conversion.finish()
    report = LoadReport(
        tuple((name, op_type) for name, op_type, why in conversion.report if not why),
        tuple((name, op_type, why) for name, op_type, why in conversion.report if why),
    )
    unread = [name for name, ports in conversion.input_ports.items() if not ports]
    if unread:
        logger.warning("%s: no output depends on input %s", source, listed(unread))
    inputs = tuple(value for value in read.inputs if value.name not in unread)
    view.annotations["onnx"] = OnnxSignature(inputs, read.outputs)
    view.annotations["onnx.opsets"] = {"": 0, **read.opsets}
    view.annotations["onnx.declared"] = OnnxSignature(read.inputs, read.outputs)
    places = {value.name: place for place, value in enumerate(read.inputs)}
    view.annotations[UNREAD] = {name: places[name] for name in unread}
    view.annotations["input_names"] = tuple(value.name for value in inputs)
    view.annotations["output_names"] = tuple(value.name for value in read.outputs)
    view.annotations["onnx.report"] = report
    _announce(report, source, verbose)
    return view


def _announce(report: LoadReport, source: str, verbose: bool) -> None:
    if verbose:
        sys.stdout.write(f"{report}\n")
    else:
        for line in report.lines():
            logger.log(NOTICE, line)
    if report.generic:
        missing = sorted({op_type for _, op_type, _ in report.generic})
        logger.warning(
            "%s: no operator for %d of its nodes (%s): the graph can be looked at and not run",
            source,
            len(report.generic),
            ", ".join(missing),
        )
