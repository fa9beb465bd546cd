"""Targets that are ready to use. Figures are typical of their kind, not of one product."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from aidge_nb.errors import HardwareError, explain
from aidge_nb.hardware.describe import read_target
from aidge_nb.hardware.target import Target

__all__ = ["TARGETS", "target"]

_MCU = """
device: mcu
memories:
  ram: {size: 320KiB, kind: ram}
  flash: {size: 1MiB, kind: rom}           # parameters stay here
devices:
  core:
    pe: {macs_per_cycle: 1, frequency: 80MHz, kernels: generic_c}
links:
  - {between: [core/pe, ram], bytes_per_cycle: 4}
  - {between: [core/pe, flash], bytes_per_cycle: 4, latency: 3}
  - {between: [flash, ram], bytes_per_cycle: 4, latency: 3}
"""

_QUAD = """
device: quad_cluster
memories:
  l2: {size: 4MiB, kind: ram}
  rom: {size: 16MiB, kind: rom}
devices:
  cluster:
    count: 4
    pe: {macs_per_cycle: 16, frequency: 200MHz, supports: [Conv2D, Add, ReLU, "*"]}
    memories: {l1: {size: 64KiB, kind: ram}}
links:
  - {between: [l2, cluster/*/l1], bytes_per_cycle: 8, latency: 20, shared: true}
  - {between: [rom, l2], bytes_per_cycle: 4}
  - {between: [cluster/*/pe, cluster/*/l1], bytes_per_cycle: 64}
cooperation: [{group: cluster/*, split: [tile_h, tile_w, out_channel]}]
"""

_DUO = """
device: duo_soc
memories:
  ram: {size: 2MiB, kind: ram}
  flash: {size: 8MiB, kind: rom}
devices:
  host:
    pe: {macs_per_cycle: 2, frequency: 400MHz, kernels: generic_c}
  accelerator:
    pe:
      macs_per_cycle: 64
      frequency: 200MHz
      supports: [Conv2D, PaddedConv2D, ConvDepthWise2D, PaddedConvDepthWise2D, FC, ReLU]
    memories: {scratch: {size: 128KiB}}
links:
  - {between: [host/pe, ram], bytes_per_cycle: 8}
  - {between: [flash, ram], bytes_per_cycle: 4, latency: 4}
  - {between: [accelerator/pe, accelerator/scratch], bytes_per_cycle: 64}
  - {between: [accelerator/scratch, ram], bytes_per_cycle: 16, latency: 10}
"""

TARGETS: Mapping[str, str] = MappingProxyType({"mcu": _MCU, "quad_cluster": _QUAD, "duo_soc": _DUO})
"""Descriptions by name, to copy and change."""


@cache
def target(name: str) -> Target:
    """Give a target that is ready to use.

    Raises
    ------
    HardwareError
        When there is none of this name.

    Examples
    --------
    >>> target("mcu")
    Target(mcu: 1 elements, 2 memories, 3 links)
    """
    if name not in TARGETS:
        raise HardwareError(
            explain("target", "no such target", expected=", ".join(TARGETS), found=name)
        )
    return read_target(TARGETS[name], name)
