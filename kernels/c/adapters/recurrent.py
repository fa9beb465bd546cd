"""Calls of recurrent layers of ONNX: one for each direction."""

from __future__ import annotations

from aidge_nb.kernels.c.adapters.common import F32, need, refuse
from aidge_nb.kernels.c.calls import NULL, Argument, CCall, Fields, In, Out, Scratch, Site, c_kernel
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
