"""What follows the sums of convolutions and products of matrices before they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from aidge_nb.kernels.c.calls import NULL, Argument, CCall, Constant, Fields, In, Out, Site
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS

MORE = 3
"""The second addend, as an input of the node: behind data, weights and bias."""

FINISHED = ("nb_matmul_f32", "nb_conv_packed_f32", "nb_conv_depthwise_f32")
"""Functions that have one beside them which does what follows as well."""

_NORM, _PLUS_FIRST, _MORE, _LOW, _HIGH = (1 << bit for bit in range(5))  # as in nb_finish.h


@dataclass(frozen=True, eq=False)
class Finish:
    """Operations on sums, in this order.

    Examples
    --------
    >>> Finish(low=0.0).fields
    {'then': 8, 'low': 0.0, 'high': 0.0}
    """

    norm: NDArray[np.float32] | None = None  # a factor, then an offset per channel
    more: bool = False  # whether a tensor is added
    # what is less becomes ``low``, then what is more becomes ``high``
    low: float = -inf
    high: float = inf
    plus_first: bool = False  # whether offsets are added before factors multiply

    @property
    def fields(self) -> Fields:
        """The fields of a configuration that say it."""
        is_normed = self.norm is not None
        bits = (
            (is_normed, _NORM),
            (is_normed and self.plus_first, _PLUS_FIRST),
            (self.more, _MORE),
            (self.low != -inf, _LOW),
            (self.high != inf, _HIGH),
        )
        return {
            "then": sum(bit for is_set, bit in bits if is_set),
            "low": self.low if self.low != -inf else 0.0,
            "high": self.high if self.high != inf else 0.0,
        }

    @property
    def args(self) -> tuple[Argument, Argument]:
        """The operands of a call that it takes."""
        norm = NULL if self.norm is None else Constant("norm", self.norm)
        return norm, In(MORE) if self.more else NULL


def channel_axis(site: Site) -> int:
    """Return the axis of the output along which factors and offsets go."""
    is_conv = site.spec in (*CONVS, *DEPTHWISE_CONVS)
    return 1 if is_conv else len(site.outputs[0].dims) - 1


def finished(site: Site, call: CCall, finish: Finish) -> CCall:
    """Return the call of one of FINISHED that does what follows, too.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.kernels.c import c_calls, describe_site
    >>> view = aidge_nb.sequential([aidge_nb.FC(3, 2, name="fc")])
    >>> view.forward_dims([[1, 3]])
    True
    >>> node = view.get_node("fc")
    >>> finished(describe_site(node), *c_calls(node), Finish(low=0.0)).function
    'nb_matmul_then_f32'
    """
    fields = {**call.fields, **finish.fields}
    if call.unit == "nb_matmul":
        by_row = channel_axis(site) == 1 and call.fields["bias_row"] == 1
        fields |= {"norm_row": int(by_row), "norm_column": int(not by_row)}
        fields["norm_size"] = site.outputs[0].dims[channel_axis(site)]
    return CCall(
        call.function.replace("_f32", "_then_f32"),
        f"{call.unit}_then",
        call.config.replace("_config", "_then_config"),
        fields,
        (*call.args[:-1], *finish.args, Out(0)),
    )
