"""Input ports of operators, by their names."""

from __future__ import annotations

from functools import partial

from aidge_nb.graph.spec import InputCategory, InputSpec


def _ports(category: InputCategory, *names: str) -> tuple[InputSpec, ...]:
    return tuple(InputSpec(name, category) for name in names)


data = partial(_ports, InputCategory.Data)
"""Declare inputs for data that must be there."""
param = partial(_ports, InputCategory.Param)
"""Declare inputs for parameters."""
attr = partial(_ports, InputCategory.Attr)
"""Declare inputs for attributes that are given as tensors."""
optional = partial(_ports, InputCategory.OptionalAttr)
"""Declare inputs for attributes that may come as tensors instead."""
optional_data = partial(_ports, InputCategory.OptionalData)
"""Declare inputs for data that may be missing."""
optional_param = partial(_ports, InputCategory.OptionalParam)
"""Declare inputs for parameters that may be missing."""

DATA = data("data_input")
"""The input of operators with one."""
WEIGHTED = (*DATA, *param("weight"), *optional_param("bias"))
"""The inputs of layers with weights, and perhaps a bias."""
