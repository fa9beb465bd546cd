"""C kernels: what an exported program is made of, and what the backend ``c`` runs.

``include/`` and ``src/`` hold one unit per family: a header that declares a configuration struct
per kernel, and its source. :mod:`~aidge_nb.kernels.c.node_calls` says which calls of them compute a
node, :mod:`~aidge_nb.kernels.c.units` reads the headers, which are the one declaration of the
structs. The arithmetic is the one that :mod:`aidge_nb.kernels.exact` defines.
"""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # What a node is to the kernels, and which calls compute it
        "calls": "CCall Constant In NULL Null Out Scratch Site TensorType c_kernel",
        "node_calls": "c_calls describe_site find_c_kernel has_c_kernel",
        # Headers and sources
        "units": "Unit add_unit find_unit struct_of units_of",
    },
)
