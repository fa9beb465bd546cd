"""The small machines of the tutorials, each one function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aidge_nb.hardware import as_target

if TYPE_CHECKING:
    from aidge_nb.hardware import Target


def duo_parts(local: str = "64KiB", bus: int = 4, *, together: bool = True) -> dict[str, Any]:
    """Describe two cores with memories of their own, one bus, and flash for weights.

    Parameters
    ----------
    local
        Size of each core's own memory.
    bus
        Bytes that the bus carries in a cycle.
    together
        Cut layers into stripes, one for each core; otherwise one core computes a whole layer.
    """
    return {
        "device": "duo",
        "memories": {
            "ram": {"size": "256KiB", "kind": "ram"},
            "flash": {"size": "1MiB", "kind": "rom"},
        },
        "devices": {
            "core": {
                "count": 2,
                "pe": {"macs_per_cycle": 2, "frequency": "100MHz"},
                "memories": {"tcm": {"size": local, "kind": "ram"}},
            }
        },
        "links": [
            {
                "between": ["ram", "core/*/tcm"],
                "bytes_per_cycle": bus,
                "latency": 10,
                "bus": "bus",
            },
            {"between": ["flash", "ram"], "bytes_per_cycle": 2},
            {"between": ["core/*/pe", "core/*/tcm"], "bytes_per_cycle": 16},
        ],
        "cooperation": [{"group": "core/*", "split": ["tile_h", "tile_w"]}] if together else [],
    }


def duo(local: str = "64KiB", bus: int = 4, *, together: bool = True) -> Target:
    """Make the machine of :func:`duo_parts`.

    Examples
    --------
    >>> duo()
    Target(duo: 2 elements, 4 memories, 5 links)
    """
    return as_target(duo_parts(local, bus, together=together), "duo")


def wide(bus: int = 8) -> Target:
    """Make four cores of 16 MACs a cycle, with ample memory, on one shared bus.

    Examples
    --------
    >>> wide()
    Target(wide: 4 elements, 5 memories, 8 links)
    """
    core = {
        "count": 4,
        "pe": {"macs_per_cycle": 16, "frequency": "100MHz"},
        "memories": {"l1": {"size": "4MiB"}},
    }
    links = [
        {"between": ["core/*/pe", "core/*/l1"], "bytes_per_cycle": 64},
        {"between": ["l2", "core/*/l1"], "bytes_per_cycle": bus, "shared": True},
    ]
    parts = {
        "device": "wide",
        "memories": {"l2": {"size": "16MiB"}},
        "devices": {"core": core},
        "links": links,
        "cooperation": [{"group": "core/*", "split": ["tile_h"]}],
    }
    return as_target(parts, "wide")
