"""Control flow that depends on data: If, Loop, Scan.

Bodies get, besides their own inputs, all inputs of the node that they belong to: what they read
from around them is among those.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from aidge_nb.core.errors import LimitError, ShapeError
from aidge_nb.core.limits import check_limit, check_time, current_limits, over_limit
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import NodeContext, standard


@standard("If", open_dims=True)
def choice(
    condition: Array, *captured: Array, then_branch: object, else_branch: object, site: NodeContext
) -> tuple[Array, ...]:
    """Run the branch that the condition names."""
    if condition.size != 1:
        raise ShapeError.at("input#0", "must be a single truth value", found=condition.shape)
    name = "then_branch" if condition.reshape(-1)[0] else "else_branch"
    return tuple(site.bodies[name]([], [condition, *captured]))


@standard("Loop", open_dims=True)
def loop(
    turns: Array | None, condition: Array | None, *values: Array, body: object, site: NodeContext
) -> tuple[Array, ...]:
    """Repeat the body, a given number of times or while a condition holds."""
    outer = [turns, condition, *values]
    nb_states = site.body_inputs["body"] - 2
    states = list(values[:nb_states])
    gathered: list[list[Array]] = []
    allowed = current_limits().loop_trips
    most = None if turns is None else int(turns.reshape(-1)[0])
    goes_on = condition is None or bool(condition.reshape(-1)[0])
    for turn in count():
        if not goes_on or (most is not None and turn >= most):
            break
        check_time("")
        if turn >= allowed:
            needed = 10 * turn if most is None else most
            raise LimitError(over_limit("loop_trips", needed, "", "the loop has too many turns"))
        flag = np.asarray(goes_on)
        results = site.bodies["body"]([np.int64(turn).reshape(()), flag, *states], outer)
        goes_on = bool(results[0].reshape(-1)[0])
        states = results[1 : 1 + nb_states]
        gathered.append(results[1 + nb_states :])
    nb_scans = site.nb_outputs - nb_states
    if not gathered:
        return (*states, *site.body_zeros["body"][1 + nb_states :])
    return (*states, *(np.stack([row[i] for row in gathered]) for i in range(nb_scans)))


@standard("Scan", open_dims=True)
def scan(
    *values: Array | None,
    body: object,
    num_scan_inputs: int,
    scan_input_axes: Sequence[int] = (),
    scan_input_directions: Sequence[int] = (),
    scan_output_axes: Sequence[int] = (),
    scan_output_directions: Sequence[int] = (),
    directions: Sequence[int] = (),
    site: NodeContext,
) -> tuple[Array, ...]:
    """Run the body on slice after slice of its inputs, and stack what comes out."""
    nb_states = site.body_inputs["body"] - num_scan_inputs
    if site.opset < 9:
        return _batched(values, nb_states, num_scan_inputs, directions, site)
    given = list(values)
    states, scanned = given[:nb_states], given[nb_states : nb_states + num_scan_inputs]
    axes = scan_input_axes or (0,) * num_scan_inputs
    rows = [
        np.moveaxis(_there(array), axis, 0)[:: -1 if backwards else 1]
        for array, axis, backwards in zip(
            scanned, axes, scan_input_directions or (0,) * num_scan_inputs, strict=True
        )
    ]
    final, gathered = _scanned(states, rows, given, site)
    nb_scans = len(gathered)
    scans = [
        np.moveaxis(np.stack(parts[:: -1 if backwards else 1]), 0, axis)
        for parts, axis, backwards in zip(
            gathered,
            scan_output_axes or (0,) * nb_scans,
            scan_output_directions or (0,) * nb_scans,
            strict=True,
        )
    ]
    return (*final, *scans)


def _batched(
    values: Sequence[Array | None],
    nb_states: int,
    nb_scanned: int,
    directions: Sequence[int],
    site: NodeContext,
) -> tuple[Array, ...]:
    """Scan as before opset 9: lengths first, and one run for each entry of a batch."""
    lengths, given = values[0], list(values[1:])
    backwards = directions or (0,) * nb_scanned
    results: list[list[Array]] = []
    for entry in range(len(_there(given[0]))):
        states = [_there(state)[entry] for state in given[:nb_states]]
        rows = [_there(array)[entry] for array in given[nb_states : nb_states + nb_scanned]]
        length = len(rows[0]) if lengths is None else int(lengths[entry])
        rows = [row[:length][:: -1 if b else 1] for row, b in zip(rows, backwards, strict=True)]
        final, gathered = _scanned(states, rows, list(values), site)
        results.append([*final, *map(np.stack, gathered)])
    return tuple(np.stack(parts) for parts in zip(*results, strict=True))


def _scanned(
    states: Sequence[Array | None],
    rows: Sequence[Array],
    outer: Sequence[object],
    site: NodeContext,
) -> tuple[list[Array], list[list[Array]]]:
    current = [_there(state) for state in states]
    gathered: list[list[Array]] = [[] for _ in range(site.nb_outputs - len(current))]
    check_limit("loop_trips", len(rows[0]), "", "the scan has too many turns")
    for step in range(len(rows[0])):
        check_time("")
        results = site.bodies["body"]([*current, *(row[step] for row in rows)], outer)
        current = results[: len(current)]
        for parts, result in zip(gathered, results[len(current) :], strict=True):
            parts.append(result)
    return current, gathered


def _there(array: Array | None) -> Array:
    if array is None:
        raise ShapeError.at("", "an input is missing")
    return array
