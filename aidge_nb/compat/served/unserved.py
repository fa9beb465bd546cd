"""Names of Aidge that are not served: a reason each, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["INSTEAD", "REASONS", "UNSERVED", "not_served", "reason_of", "submodule"]

REASONS = {
    "compiled": "it is a piece of Aidge's compiled library that nobody calls from Python",
    "boards": "it deploys Aidge's own board packages",
    "templates": "it fills Aidge's templates of C++",
    "faults": "it belongs to the engine for fault injection",
    "pruning": "it belongs to the pruning method FIBNLR",
    "quantization": "it prepares or follows Aidge's quantization",
    "steps": "it is a step inside of Aidge's quantization, or changes its Quantizer nodes",
    "qdq": "networks are between QuantizeLinear and DequantizeLinear nodes here",
    "regions": "it splits a graph over processors for Aidge's exports",
    "sessions": "it compares with another runtime in a process of its own",
    "tests": "it tests Aidge itself",
    "packing": "it packs weights of less than 8 bits for Aidge's export to ARM Cortex-M",
    "recipe": "it is a recipe that has no counterpart",
    "keys": "it is a key of Aidge's own registries",
}
"""Kinds of reasons."""

_EXPORT = (
    "aidge_nb.export.export(graph, folder, target=...) plans, writes, builds and tests at once"
)
_OWN = "kernels of one's own are added with aidge_nb.export, see tutorial 07b"
_FAULTS = "aidge_core.inject_ber_weights, inject_bitflip and their like"
_QUANTIZED = "aidge_nb.quantize(graph, samples) makes an 8-bit network and a report"
_ALL = "aidge_quantization.quantize_network does all of them"
_MAPPING = "aidge_nb.hardware maps a graph onto the processors and memories of a machine"

UNSERVED: dict[str, tuple[str, str]] = {
    "TensorImpl*": ("compiled", "aidge_core.Tensor holds a NumPy array: numpy.asarray(tensor)"),
    "TensorRegistrable": ("compiled", "aidge_core.Tensor holds a NumPy array"),
    "CORE_ROOT": ("compiled", "importlib.resources.files('aidge_nb') is where this library is"),
    "CPP_ROOT": ("compiled", "importlib.resources.files('aidge_nb') is where this library is"),
    "get_git_hash": ("compiled", "get_project_version() is the version"),
    "LayerNormAttr_*": (
        "keys",
        "the attributes of LayerNorm are arguments of aidge_core.LayerNorm",
    ),
    "test_*": ("tests", "aidge_core.DynamicAttributes works without it"),
    "None": ("keys", "write aidge_core.OptimizeStrategy.None_"),
    "*fibnlr*": ("pruning", "prune the model before, and load it as ONNX"),
    "Ablation*": ("pruning", "prune the model before, and load it as ONNX"),
    "Group": ("pruning", "prune the model before, and load it as ONNX"),
    "GroupMethod": ("pruning", "prune the model before, and load it as ONNX"),
    "Method": ("pruning", "prune the model before, and load it as ONNX"),
    "NormalizationMethod": ("pruning", "prune the model before, and load it as ONNX"),
    "NPR": ("pruning", "prune the model before, and load it as ONNX"),
    "NNPR": ("pruning", "prune the model before, and load it as ONNX"),
    "inject_faults": ("faults", _FAULTS),
    "Fault*": ("faults", _FAULTS),
    "Scale*": ("quantization", _QUANTIZED),
    "*weight_interleaving": ("packing", _QUANTIZED),
    "save_in_dformat": ("quantization", "aidge_core.explicit_transpose changes formats"),
    "update_axis_attribute": ("quantization", "aidge_core.explicit_transpose changes formats"),
    "split_multi_devices": ("regions", _MAPPING),
    "linear_supported_runs": ("regions", _MAPPING),
    "BSPPackage": ("boards", _EXPORT),
    "*bsp*": ("boards", _EXPORT),
    "*target_export*": ("boards", _EXPORT),
    "*project_composer": ("boards", _EXPORT),
    "*export_preprocessor": ("boards", _EXPORT),
    "TargetExport": ("boards", _EXPORT),
    "ExportApplication": ("boards", _EXPORT),
    "ExportManifest": ("boards", "manifest.json of the folder describes the package"),
    "*export_manifest": ("boards", "manifest.json of the folder describes the package"),
    "common_asserts": ("boards", _EXPORT),
    "finalize_export": ("boards", _EXPORT),
    "StaticAnalysisProfile": ("boards", "run the analyser on the folder of C that was written"),
    "ExportNode*": ("templates", _OWN),
    "generate_main_*": ("templates", _EXPORT),
    "export_ref_feature_maps": ("templates", "the exported program checks each layer by itself"),
    "run_ort_outputwise_benchmark": ("sessions", "onnxruntime with all outputs of the graph"),
    "compare_ort_aidge": ("sessions", "onnxruntime.InferenceSession(file).run(None, inputs)"),
    **dict.fromkeys(("Activation", "Edges", "*Weights"), ("faults", _FAULTS)),
    **dict.fromkeys(
        ("Affine", "Homogeneous", "GeneralNonlinear", "Product", "SumBound"),
        ("quantization", _QUANTIZED),
    ),
    **dict.fromkeys(
        ("insert_[cs]*_nodes", "normalize_*s", "adjust_ranges", "compute_*"), ("steps", _ALL)
    ),
    **dict.fromkeys(("insert_input_rescaling", "perform_*"), ("steps", _ALL)),
    **dict.fromkeys(("replace_scaling_*", "set_scaling_factor_dtype"), ("steps", _ALL)),
    **dict.fromkeys(("append_*", "prepend_*"), ("steps", _ALL)),
    **dict.fromkeys(("cast_quant*", "fold_producer_quantizers"), ("steps", _ALL)),
    **dict.fromkeys(("prepare_network", "quantize_normalized_*"), ("steps", _ALL)),
    **dict.fromkeys(("set_to_q*", "from_q*"), ("qdq", "aidge_nb.quantization.to_integer(graph)")),
    "M*LifetimeM*": ("compiled", "aidge_core.OptimizeStrategy chooses how spaces are sorted"),
    "MaxHole*": ("compiled", "aidge_core.OptimizeStrategy chooses how spaces are sorted"),
    "*_Tensor": ("compiled", "aidge_core.Tensor holds a NumPy array"),
    "matMul_*": ("recipe", "aidge_nb.tiling computes layers part by part"),
    "fuse_transpose_gemm": ("recipe", "aidge_core.fuse_transpose joins Transposes"),
    "defer_resize_past_sum": ("recipe", "write the Sum before the Resize in the model"),
    "stft_to_dft": ("recipe", "aidge_core.STFT runs as it is"),
    "ibp_normal_filler": ("recipe", "aidge_core.he_filler and xavier_normal_filler"),
    "ExportArtifact": ("boards", "export() returns the package: build(), run(), check_layers()"),
    "*export_artifact": ("boards", "export() returns the package: build(), run(), check_layers()"),
}
"""Names and patterns that are not served: the kind of reason, and what to do instead."""


def reason_of(name: str) -> tuple[str, str]:
    """Return why a name is not served, and what to do instead; empty when nothing is known.

    Examples
    --------
    >>> reason_of("inject_faults")[0]
    'it belongs to the engine for fault injection'
    """
    for pattern, (kind, instead) in UNSERVED.items():
        if fnmatchcase(name, pattern):
            return REASONS[kind], instead
    return "", ""


INSTEAD = {
    "DataType": "it is aidge_core.dtype, with names in lower case",
    "GraphRegex": "it is aidge_core.SinglePassGraphMatching(graph).match(query)",
}
"""Names that tutorials for older releases of Aidge call, and those to use instead."""


def not_served(module: str, name: str, known: Iterable[str] = ()) -> str:
    """Return the message for a name of Aidge that is not served: why, and what to do instead.

    Examples
    --------
    >>> print(not_served("aidge_core", "DataType"))
    module 'aidge_core' as served by aidge_nb has no 'DataType': it is aidge_core.dtype, with \
names in lower case
    >>> print(not_served("aidge_core", "get_git_hash"))
    module 'aidge_core' as served by aidge_nb has no 'get_git_hash': it is a piece of Aidge's \
compiled library that nobody calls from Python; instead: get_project_version() is the version
    >>> print(not_served("aidge_onnx", "load_onx", ["load_onnx", "export_onnx"]))
    module 'aidge_onnx' as served by aidge_nb has no 'load_onx' (did you mean load_onnx?); \
`python -m aidge_nb.compat --table` lists what there is
    """
    begin = f"module {module!r} as served by aidge_nb has no {name!r}"
    if name in INSTEAD:
        return f"{begin}: {INSTEAD[name]}"
    why, instead = reason_of(name)
    if why:
        return f"{begin}: {why}; instead: {instead}"
    close = get_close_matches(name, list(known))
    meant = f" (did you mean {', '.join(close)}?)" if close else ""
    return f"{begin}{meant}; `python -m aidge_nb.compat --table` lists what there is"


def submodule(full: str, room: str) -> ModuleType:
    """Make a module of Aidge that has the names of one of our packages."""
    module = ModuleType(full)

    def find(asked: str) -> Any:
        __tracebackhide__ = True  # tracebacks end where the name was asked for
        served = import_module(f"aidge_nb.{room}")
        known = getattr(served, "__all__", dir(served))
        if asked not in known or asked.startswith("_"):
            raise AttributeError(not_served(full, asked, known))
        return getattr(served, asked)

    module.__getattr__ = find  # type: ignore[method-assign]  # PEP 562
    return module
