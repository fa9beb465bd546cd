"""The cost of single layers on an array, beside what ZigZag says of the mapping that it chose.

Run it as ``python benchmarks/zigzag.py --zigzag PYTHON``, where PYTHON has zigzag-dse 3.9.1: it
maps ResNet-18 onto its TPU-like target (some minutes). Promised are 1 % of its energy and 5 % of
its latency for each layer. Cycles are compared under ZigZag's assumption that the first loads of
operands overlap although they share a port, and without.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from itertools import accumulate
from pathlib import Path
from typing import Any

from aidge_nb.hardware import (
    ArrayLayer,
    ArrayMachine,
    ArrayMapping,
    ArrayMemory,
    ArrayPort,
    Operand,
    layer_cost,
)
from common import write

ASK = """
import json, sys
from importlib.resources import files
from pathlib import Path
import yaml
from zigzag.api import get_hardware_performance_zigzag
folder, target, by = sys.argv[1:]
inputs = files("zigzag") / "inputs"
hardware = inputs / "hardware" / f"{target}.yaml"
get_hardware_performance_zigzag(
    str(inputs / "workload" / "resnet18.onnx"),
    str(hardware),
    str(inputs / "mapping" / f"{target}.yaml"),
    opt=by,
    dump_folder=folder,
    pickle_filename=f"{folder}/all.pickle",
    loma_show_progress_bar=False,
)
found = [json.loads(path.read_text()) for path in Path(folder).glob("*_complete.json")]
Path(folder, "answers.json").write_text(
    json.dumps({"machine": yaml.safe_load(hardware.read_text()), "layers": found})
)
"""
WAYS = {"fh": "fill", "tl": "feed", "fl": "collect", "th": "flush"}
CUT = re.compile(r"\((\w+), (\d+)\)")


def machine_of(described: dict[str, Any], links: dict[str, str]) -> ArrayMachine:
    """Read a target of ZigZag; `links` says which operand of a layer takes which way through it."""
    array = described["operational_array"]
    names = {way: operand for operand, way in links.items()}
    memories = []
    for name, memory in described["memories"].items():
        ports = []
        for port in memory["ports"]:
            uses = (use.split(", ") for use in port["allocation"])
            known = tuple((names[way], WAYS[side]) for way, side in uses if way in names)
            ports.append(
                ArrayPort(port["name"], port["bandwidth_max"], known, port["bandwidth_min"])
            )
        costs = (memory["size"] // 8, memory["r_cost"], memory["w_cost"])
        serves = tuple(memory["served_dimensions"])
        memories.append(ArrayMemory(name, *costs, tuple(ports), serves))
    dims = dict(zip(array["dimensions"], array["sizes"], strict=True))
    systolic = tuple(array.get("systolic_dimensions", ()))
    return ArrayMachine(described["name"], dims, array["unit_energy"], tuple(memories), systolic)


def layer_of(given: dict[str, Any]) -> ArrayLayer:
    """Read a layer from its equation, such as O[b][k][oy] = W[k][c][fy] * I[b][c][iy]."""
    sizes, bits = given["loop_dimensions"], given["operand_precision"]
    sums = {}
    for relation in given["equation_relations"]:  # IX = 2*OX + 1*FX
        whole, parts = relation.split(" = ")
        sums[whole] = tuple(
            (loop, int(step)) for step, loop in (part.split("*") for part in parts.split(" + "))
        )
    operands = {}
    for name, indices in re.findall(r"(\w)((?:\[\w+\])+)", given["equation"]):
        loops = [loop.upper() for loop in re.findall(r"\w+", indices)]
        axes = tuple(sums.get(loop, ((loop, 1),)) for loop in loops)
        # Rows and columns as far as the stride goes: the padding is none of them.
        limits = tuple(sizes[axis[0][0]] * axis[0][1] if len(axis) > 1 else 0 for axis in axes)
        operands[name] = Operand(name, axes, bits["O_final" if name == "O" else name], limits)
    inputs = tuple(operands[name] for name in operands if name != "O")
    return ArrayLayer(given["name"], sizes, inputs, operands["O"], bits["O"])


def mapping_of(inputs: dict[str, Any]) -> ArrayMapping:
    """Read a mapping: loops of each operand by memory, innermost first."""
    chosen = inputs["layer"]["user_spatial_mapping"]
    spatial = tuple(
        (dim, loop, turns) for dim, loops in chosen.items() for loop, turns in loops.items()
    )
    levels = {
        name: [
            [(loop, int(turns)) for loop, turns in CUT.findall(" ".join(each))] for each in found
        ]
        for name, found in inputs["temporal_mapping"].items()
    }
    temporal = tuple(loop for level in levels["O"] for loop in level)
    held = {
        name: tuple(accumulate(len(level) for level in each[:-1])) for name, each in levels.items()
    }
    return ArrayMapping(spatial, temporal, held)


def ask(python: str, target: str, by: str) -> dict[str, Any]:
    """Let ZigZag map ResNet-18; give its answers."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-c", ASK, folder, target, by]
        ran = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(ran.stderr)
        answers: dict[str, Any] = json.loads(Path(folder, "answers.json").read_text())
        return answers


def compare(answers: dict[str, Any]) -> list[dict[str, Any]]:
    """Compute each layer; give its mapping, and what both say."""
    rows = []
    for answer in answers["layers"]:
        inputs, outputs = answer["inputs"], answer["outputs"]
        machine = machine_of(answers["machine"], inputs["layer"]["memory_operand_links"])
        layer, mapping = layer_of(inputs["layer"]), mapping_of(inputs)
        theirs = {
            "energy": outputs["energy"]["energy_total"],
            "cycles": sum(outputs["latency"].values()),
        }
        rows.append(
            {
                "layer": layer,
                "mapping": mapping,
                "theirs": theirs,
                "ours": layer_cost(layer, machine, mapping),
                "in_turn": layer_cost(layer, machine, mapping, loads_overlap=False),
            }
        )
    return sorted(rows, key=lambda row: str(row["layer"].name))


def show(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Print a line for each layer; give the largest differences in percent."""
    worst = {"energy": 0.0, "cycles": 0.0, "in_turn": 0.0}
    print(f"{'layer':<42} {'uJ':>8} {'cycles':>10} {'energy':>9} {'cycles':>9} {'in turn':>9}")
    for row in rows:
        theirs, ours, in_turn = row["theirs"], row["ours"], row["in_turn"]
        found = {
            "energy": _more(ours.energy, theirs["energy"]),
            "cycles": _more(ours.cycles, theirs["cycles"]),
            "in_turn": _more(in_turn.cycles, theirs["cycles"]),
        }
        parts = " ".join(f"{value:>+8.3f}%" for value in found.values())
        print(f"{row['layer'].name:<42} {ours.energy / 1e6:>8.2f} {ours.cycles:>10.0f} {parts}")
        worst = {name: max(value, abs(found[name])) for name, value in worst.items()}
    print(f"worst: energy {worst['energy']:.3f} % (promised: 1 %), ", end="")
    print(f"cycles {worst['cycles']:.3f} % (promised: 5 %), {worst['in_turn']:.1f} % in turn")
    return worst


def _more(ours: float, theirs: float) -> float:
    return 100 * (ours / theirs - 1)


def record(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep what a test needs of each layer, once where they are equal."""
    kept: dict[str, dict[str, Any]] = {}
    for row in rows:
        layer, mapping = row["layer"], row["mapping"]
        strides = [index[0][1] for index in layer.inputs[-1].indices if len(index) > 1]
        facts = {
            "sizes": layer.sizes,
            "strides": strides,
            "spatial": mapping.spatial,
            "temporal": mapping.temporal,
            "held": mapping.held,
        }
        kept.setdefault(json.dumps(facts), {"layer": layer.name, **facts, **row["theirs"]})
    return list(kept.values())


def main() -> None:
    """Ask, compute and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--zigzag", metavar="PYTHON", required=True, help="has zigzag-dse")
    parser.add_argument("--target", default="tpu_like", help="a target of ZigZag")
    parser.add_argument("--by", default="latency", choices=("latency", "energy", "EDP"))
    parser.add_argument("--record", metavar="FILE", type=Path, help="where to keep its answers")
    options = parser.parse_args()
    rows = compare(ask(options.zigzag, options.target, options.by))
    write(f"zigzag_{options.target}_{options.by}", show(rows))
    if options.record:
        lines = ",\n".join(json.dumps(each) for each in record(rows))
        options.record.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
