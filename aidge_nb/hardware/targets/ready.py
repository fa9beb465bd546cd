"""Predefined targets; figures are typical of their kind, not of one product.

Sizes of the boards are those of the machines that QEMU emulates, ``mps2-an385`` and its relatives,
https://www.qemu.org/docs/master/system/arm/mps2.html; their speeds are for float32 in plain C, the
Cortex-M3 without a floating-point unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.targets.describe import as_target
from aidge_nb.hardware.targets.target import Target

Description = Mapping[str, Any]

_MCU: Description = {
    "device": "mcu",
    "memories": {
        "ram": {"size": "320KiB", "kind": "ram"},
        "flash": {"size": "1MiB", "kind": "rom"},  # parameters stay here
    },
    "devices": {
        "core": {"pe": {"macs_per_cycle": 1, "frequency": "80MHz", "kernels": "generic_c"}}
    },
    "links": [
        {"between": ["core/pe", "ram"], "bytes_per_cycle": 4},
        {"between": ["core/pe", "flash"], "bytes_per_cycle": 4, "latency": 3},
        {"between": ["flash", "ram"], "bytes_per_cycle": 4, "latency": 3},
    ],
}

_QUAD: Description = {
    "device": "quad_cluster",
    "memories": {"l2": {"size": "4MiB", "kind": "ram"}, "rom": {"size": "16MiB", "kind": "rom"}},
    "devices": {
        "cluster": {
            "count": 4,
            "pe": {"macs_per_cycle": 16, "frequency": "200MHz"},
            "memories": {"l1": {"size": "64KiB", "kind": "ram"}},
        },
        # runs layers without tiles that fit a local memory
        "controller": {"pe": {"macs_per_cycle": 1, "frequency": "200MHz"}},
    },
    "links": [
        {"between": ["l2", "cluster/*/l1"], "bytes_per_cycle": 8, "latency": 20, "bus": "l2_bus"},
        {"between": ["rom", "l2"], "bytes_per_cycle": 4},
        {"between": ["cluster/*/pe", "cluster/*/l1"], "bytes_per_cycle": 64},
        {"between": ["controller/pe", "l2"], "bytes_per_cycle": 8},
        {"between": ["controller/pe", "rom"], "bytes_per_cycle": 4},
    ],
    "cooperation": [{"group": "cluster/*", "split": ["tile_h", "tile_w", "out_channel"]}],
}

_DUO: Description = {
    "device": "duo_soc",
    "memories": {"ram": {"size": "2MiB", "kind": "ram"}, "flash": {"size": "8MiB", "kind": "rom"}},
    "devices": {
        "host": {
            "pe": {
                "macs_per_cycle": 2,
                "frequency": "400MHz",
                "kernels": "generic_c",
                "cycles": {"Softmax": {"per_element": 40}},
            }
        },
        "accelerator": {
            "pe": {
                "macs_per_cycle": 64,
                "frequency": "200MHz",
                "supports": [
                    *("Conv2D", "PaddedConv2D", "ConvDepthWise2D", "PaddedConvDepthWise2D"),
                    *("FC", "Add", "BatchNorm2D", "ReLU"),
                ],
                # one channel of a depthwise convolution fills an eighth of its multipliers
                "cycles": {"*DepthWise2D": {"per_mac": 0.125, "fixed": 200}, "*": {"fixed": 200}},
            },
            "memories": {"scratch": {"size": "128KiB"}},
        },
    },
    "links": [
        {"between": ["host/pe", "ram"], "bytes_per_cycle": 8},
        {"between": ["flash", "ram"], "bytes_per_cycle": 4, "latency": 4},
        {"between": ["accelerator/pe", "accelerator/scratch"], "bytes_per_cycle": 64},
        {"between": ["accelerator/scratch", "ram"], "bytes_per_cycle": 16, "latency": 10},
    ],
}


def _board(name: str, speed: float, frequency: str, sizes: Mapping[str, str]) -> Description:
    """Describe a microcontroller whose core reaches all of its memories."""
    return {
        "device": name,
        "memories": {
            path: {"size": size, "kind": "rom" if path == "code" else "ram"}
            for path, size in sizes.items()
        },
        "devices": {
            "core": {
                "pe": {"macs_per_cycle": speed, "frequency": frequency, "kernels": "generic_c"}
            }
        },
        "links": [
            *({"between": ["core/pe", path], "bytes_per_cycle": 4} for path in sizes),
            {"between": ["code", "ram"], "bytes_per_cycle": 4},
        ],
    }


_MPS2 = {"code": "4MiB", "ram": "4MiB", "psram": "16MiB"}
_MPS3 = {"code": "2MiB", "tcm": "512KiB", "ram": "4MiB", "ddr": "2GiB"}

TARGETS: Mapping[str, Description] = MappingProxyType(
    {
        "mcu": _MCU,
        "quad_cluster": _QUAD,
        "duo_soc": _DUO,
        "mps2-an385": _board("mps2-an385", 0.02, "25MHz", _MPS2),
        "mps2-an386": _board("mps2-an386", 0.25, "25MHz", _MPS2),
        "mps2-an500": _board("mps2-an500", 0.5, "25MHz", _MPS2),
        "mps3-an547": _board("mps3-an547", 1, "32MHz", _MPS3),
    }
)
"""Descriptions by name, to copy and change; :meth:`Target.to_yaml` shows one as YAML."""


@cache
def target(name: str) -> Target:
    """Return a predefined target.

    Raises
    ------
    HardwareError
        For an unknown name.

    Examples
    --------
    >>> target("mcu")
    Target(mcu: 1 elements, 2 memories, 3 links)
    """
    if name not in TARGETS:
        raise HardwareError.at(
            "target",
            "unknown target",
            expected=", ".join(TARGETS),
            found=name,
            cure="Choose one of these, or describe yours: read_target(text).",
        )
    return as_target(TARGETS[name], name)
