"""Messages for names that are not served."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["INSTEAD", "not_served"]

INSTEAD = {
    "DataProvider": "take batches of arrays: scheduler.forward(data=[aidge_core.Tensor(batch)])",
    "DataType": "it is aidge_core.dtype, with names in lower case",
    "Database": "take batches of arrays: scheduler.forward(data=[aidge_core.Tensor(batch)])",
    "ExportLib": "kernels of one's own are added with aidge_nb.export, see tutorial 07b",
    "ExportNode": "kernels of one's own are added with aidge_nb.export, see tutorial 07b",
    "ExportNodeCpp": "kernels of one's own are added with aidge_nb.export, see tutorial 07b",
    "GraphRegex": "it is aidge_core.SinglePassGraphMatching(graph).match(query)",
    "StaticAnalysis": "aidge_nb.report.study(graph) counts parameters, work and memory",
    "explicit_cast_move": "nothing needs casting or moving: types are the kernels' own",
    "scheduler_export": "aidge_nb.export.export(graph, folder) plans and writes at once",
}
"""What tutorials of Aidge call that has no counterpart of its name, and what there is instead."""


def not_served(module: str, name: str, known: Iterable[str] = ()) -> str:
    """Return the message for a name of Aidge that is not served: what to do instead.

    Examples
    --------
    >>> print(not_served("aidge_core", "DataType"))
    module 'aidge_core' as served by aidge_nb has no 'DataType': it is aidge_core.dtype, with \
names in lower case
    >>> print(not_served("aidge_onnx", "load_onx", ["load_onnx", "export_onnx"]))
    module 'aidge_onnx' as served by aidge_nb has no 'load_onx' (did you mean load_onnx?); \
`python -m aidge_nb.compat --table` lists what there is
    """
    if name in INSTEAD:
        return f"module {module!r} as served by aidge_nb has no {name!r}: {INSTEAD[name]}"
    close = get_close_matches(name, list(known))
    meant = f" (did you mean {', '.join(close)}?)" if close else ""
    return (
        f"module {module!r} as served by aidge_nb has no {name!r}{meant}; "
        "`python -m aidge_nb.compat --table` lists what there is"
    )
