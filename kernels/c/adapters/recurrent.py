"""Calls of recurrent layers of ONNX: one for each direction."""

from __future__ import annotations

from aidge_nb.kernels.c.adapters.common import F32, need, refuse
from aidge_nb.kernels.c.adapters.quantization import EIGHT_BITS
from aidge_nb.kernels.c.calls import NULL, Argument, CCall, In, Out, Scratch, Site, c_kernel
from aidge_nb.kernels.cpu.quantization.standard import INT32_ROOM
from aidge_nb.kernels.exact.recurrent import usual

_NAMES = {"RNN": "nb_rnn_f32", "GRU": "nb_gru_f32", "LSTM": "nb_lstm_f32"}


@c_kernel(*_NAMES)
def recurrent(site: Site) -> tuple[CCall, ...]:
    """Run over the sequences, in one direction or both."""
    kind, attrs = site.spec.type, site.attrs
    need(site, F32, *(i for i in range(len(site.inputs)) if i != 4 and site.has(i)))
    count = 2 if attrs.get("direction") == "bidirectional" else 1
    names = tuple(name.lower() for name in attrs.get("activations", ()))
    if not usual(kind, site.input(4) if site.has(4) else None, attrs):
        raise refuse(site, "follows such sequences", found=dict(attrs))
    is_relu = kind == "RNN" and names[:1] == ("relu",)
    option = is_relu or bool(attrs.get("linear_before_reset", 0))
    return tuple(_call(site, kind, index, count, option) for index in range(count))


def _fields(site: Site, index: int, count: int, hidden: int) -> dict[str, int]:
    """Describe one of so many directions of a layer."""
    steps, batch, inputs = site.input(0).dims
    is_reverse = site.attrs.get("direction") == "reverse"
    return {
        "steps": steps,
        "batch": batch,
        "inputs": inputs,
        "hidden": hidden,
        "backwards": int(is_reverse or index == 1),
        "y_step": count * batch * hidden,
    }


def _part(site: Site, index: int, count: int, number: int) -> Argument:
    """Return an input from the part of a direction on."""
    if not site.has(number):
        return NULL
    return In(number, index * site.input(number).nbytes // count)


def _states(site: Site, index: int, state: int, room: int) -> list[Argument]:
    """Return where all results go, and the states: to outputs, or in the working memory."""
    found: list[Argument] = [Out(0, index * state)]
    for number in (1, 2):
        kept = Scratch(room + (number - 1) * state)
        found.append(Out(number, index * state) if number < len(site.outputs) else kept)
    return found


def _call(site: Site, kind: str, index: int, count: int, option: bool) -> CCall:
    hidden = site.input(2).dims[2]
    state = 4 * site.input(0).dims[1] * hidden  # bytes
    numbers = (1, 2, 3, 5, 6, 7) if kind == "LSTM" else (1, 2, 3, 5)
    inputs = [_part(site, index, count, number) for number in numbers]
    outputs = _states(site, index, state, 16 * hidden)
    args = (In(0), *inputs, Scratch(), *(outputs if kind == "LSTM" else outputs[:2]))
    fields = {**_fields(site, index, count, hidden), "option": int(option)}
    config, scratch = "nb_recurrent_config", 16 * hidden + 2 * state
    return CCall(_NAMES[kind], "nb_recurrent", config, fields, args, scratch=scratch)


@c_kernel("com.microsoft.DynamicQuantizeLSTM")
def dynamic_quantize_lstm(site: Site) -> tuple[CCall, ...]:
    """Run over the sequences, in one direction or both; data are quantized as they come."""
    floats = (0, *(index for index in (3, 5, 6, 7, 8, 10) if site.has(index)))
    need(site, F32, *floats)
    suffix, attrs = need(site, EIGHT_BITS, 1, 2), site.attrs
    if not usual("LSTM", site.input(4) if site.has(4) else None, attrs):
        raise refuse(site, "follows such sequences", found=dict(attrs))
    steps, batch, inputs = site.input(0).dims
    count, hidden = site.input(2).dims[:2]
    depth = max(inputs, hidden)
    if depth * 255**2 > INT32_ROOM:
        raise refuse(site, "has sums that int32 holds", expected=INT32_ROOM // 255**2, found=depth)
    state, codes = 4 * batch * hidden, steps * batch * inputs + batch * hidden
    sums = -(-codes // 4) * 4
    scratch = sums + 16 * hidden + 2 * state

    per_gate = {
        "w_step": int(site.input(8).size > count),
        "r_step": int(site.input(10).size > count),
    }
    order = (1, 8, 9, 2, 10, 11, 3, 5, 6, 7)

    def call(index: int) -> CCall:
        inputs = (_part(site, index, count, number) for number in order)
        outputs = _states(site, index, state, sums + 16 * hidden)
        args = (In(0), *inputs, Scratch(), Scratch(sums), *outputs)
        fields = {**_fields(site, index, count, hidden), **per_gate}
        unit, config = "nb_lstm_codes", "nb_lstm_codes_config"
        return CCall(f"{unit}_{suffix}", unit, config, fields, args, scratch=scratch)

    return tuple(call(index) for index in range(count))
