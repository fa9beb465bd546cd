"""Calls of recurrent layers of ONNX: one for each direction."""

from __future__ import annotations

from aidge_nb.kernels.c.adapters.common import F32, need, refuse
from aidge_nb.kernels.c.adapters.quantization import EIGHT_BITS
from aidge_nb.kernels.c.calls import NULL, Argument, CCall, Fields, In, Out, Scratch, Site, c_kernel
from aidge_nb.kernels.cpu.quantization.standard import INT32_ROOM
from aidge_nb.kernels.exact.recurrent import usual

_NAMES = {"RNN": "nb_rnn_f32", "GRU": "nb_gru_f32", "LSTM": "nb_lstm_f32"}


@c_kernel(*_NAMES)
def recurrent(site: Site) -> tuple[CCall, ...]:
    """Run over the sequences, in one direction or both."""
    kind, attrs = site.spec.type, site.attrs
    need(site, F32, *(i for i in range(len(site.inputs)) if i != 4 and site.has(i)))
    direction = attrs.get("direction", "forward")
    count = 2 if direction == "bidirectional" else 1
    names = tuple(name.lower() for name in attrs.get("activations", ()))
    if not usual(kind, site.input(4) if site.has(4) else None, attrs):
        raise refuse(site, "follows such sequences", found=dict(attrs))
    is_relu = kind == "RNN" and names[:1] == ("relu",)
    option = is_relu or bool(attrs.get("linear_before_reset", 0))
    return tuple(
        _call(site, kind, index, count, option, direction == "reverse" or index == 1)
        for index in range(count)
    )


def _call(site: Site, kind: str, index: int, count: int, option: bool, backwards: bool) -> CCall:
    steps, batch, inputs = site.input(0).dims
    hidden = site.input(2).dims[2]
    fields: Fields = {
        "steps": steps,
        "batch": batch,
        "inputs": inputs,
        "hidden": hidden,
        "backwards": int(backwards),
        "y_step": count * batch * hidden,
        "option": int(option),
    }
    state = 4 * batch * hidden  # bytes

    def part(number: int) -> Argument:
        """Return an input from the part of this direction on."""
        if not site.has(number):
            return NULL
        return In(number, index * site.input(number).nbytes // count)

    def last(number: int) -> Argument:
        """Return where a state is kept: in its output, or in the working memory."""
        if number < len(site.outputs):
            return Out(number, index * state)
        return Scratch(16 * hidden + (number - 1) * state)

    firsts = [part(5)] if kind != "LSTM" else [part(5), part(6), part(7)]
    lasts = [last(1)] if kind != "LSTM" else [last(1), last(2)]
    args = (In(0), part(1), part(2), part(3), *firsts, Scratch(), Out(0, index * state), *lasts)
    scratch = 16 * hidden + 2 * state
    config = "nb_recurrent_config"
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

    def call(index: int) -> CCall:
        def part(number: int) -> Argument:
            if not site.has(number):
                return NULL
            return In(number, index * site.input(number).nbytes // count)

        def last(number: int) -> Argument:
            if number < len(site.outputs):
                return Out(number, index * state)
            return Scratch(sums + 16 * hidden + (number - 1) * state)

        fields: Fields = {
            "steps": steps,
            "batch": batch,
            "inputs": inputs,
            "hidden": hidden,
            "backwards": int(attrs.get("direction", "forward") == "reverse" or index == 1),
            "y_step": count * batch * hidden,
            "w_step": int(site.input(8).size > count),
            "r_step": int(site.input(10).size > count),
        }
        weights = (part(1), part(8), part(9), part(2), part(10), part(11))
        rest = (part(3), part(5), part(6), part(7), Scratch(), Scratch(sums))
        args = (In(0), *weights, *rest, Out(0, index * state), last(1), last(2))
        name, config = f"nb_lstm_codes_{suffix}", "nb_lstm_codes_config"
        return CCall(name, "nb_lstm_codes", config, fields, args, scratch=scratch)

    return tuple(call(index) for index in range(count))
