"""Operators of com.microsoft on codes: C gives the bits of both NumPy backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.kernels.c import CCall, c_calls
from aidge_nb.kernels.c.calls import Constant, Fields, In, Out
from aidge_nb.kernels.c.compiling import FLAGS, Program
from aidge_nb.kernels.cpu.quantization.codes import fused, rounded_codes
from aidge_nb.kernels.standard import MICROSOFT, OURS
from tests.kernels.c.machine import differing
from tests.onnx_io.convert.test_contrib import F32, I8, U8, Array, codes, model_of, numbers, s

pytestmark = pytest.mark.usefixtures("no_fallback")

Case = tuple[str, list[Array | None], dict[str, Any]]


def check(case: Case) -> None:
    """Check that C computes the node, with the bits of ``cpu`` and ``exact``."""
    domain = OURS if case[0] == "Rescale" else MICROSOFT
    model, fed = model_of(*case, domain=domain, fed=2 if case[0] == "QLinearConcat" else 0)
    results = []
    for backend in ("cpu", "exact", "c"):
        view = aidge_nb.load_onnx(model.to_bytes())
        view.set_backend(backend)
        data = [aidge_nb.Tensor(array) for array in fed.values()]
        results.append(aidge_nb.SequentialScheduler(view).forward(data=data)[0].array)
    for node in view.get_nodes():
        if node.type() != "Producer":
            c_calls(node)
    for ours in results[:2]:
        assert differing(np.asarray(results[2]), np.asarray(ours)) == 0


def parameters(draw: st.DrawFn, kind: Any) -> list[Array | None]:
    """Draw a scale, at times a power of two (ties are exact then), and perhaps a zero point."""
    scale = draw(st.one_of(st.integers(-8, 0).map(lambda n: 2.0**n), st.floats(0.001, 0.5)))
    limits = np.iinfo(kind)
    zero = draw(st.integers(limits.min, limits.max))
    return [s(scale), np.array(zero, kind)]


@st.composite
def element_wise(draw: st.DrawFn) -> Case:
    """Draw a sum, a product, a table or a concatenation."""
    kind, seed = draw(st.sampled_from([U8, I8])), draw(st.integers(0, 999))
    dims = draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    x, first, last = codes(kind, *dims, seed=seed), parameters(draw, kind), parameters(draw, kind)
    name = draw(st.sampled_from(["Add", "Mul", "LeakyRelu", "Sigmoid", "Concat"]))
    if name in ("LeakyRelu", "Sigmoid"):
        attributes = {"alpha": 0.3} if name == "LeakyRelu" else {}
        return f"QLinear{name}", [x, *first, *last], attributes
    if name == "Concat":
        axis = draw(st.integers(0, len(dims) - 1))
        others = [codes(kind, *dims, seed=seed + n) for n in range(draw(st.integers(1, 2)))]
        parts = [part for other in others for part in (other, *parameters(draw, kind))]
        return "QLinearConcat", [*last, *parts], {"axis": axis}
    cut = draw(st.integers(0, len(dims) - 1))
    other = codes(kind, *(1 if draw(st.booleans()) else size for size in dims[cut:]), seed=seed + 1)
    return f"QLinear{name}", [x, *first, other, *parameters(draw, kind), *last], {}


MIXED = [(np.int8, np.int16), (np.int16, np.int8), (np.int16, np.int16), (np.uint8, np.uint16)]
MIXED += [(np.uint16, np.uint8), (np.uint16, np.uint16)]


@st.composite
def of_sixteen_bits(draw: st.DrawFn) -> Case:
    """Draw an operator whose inputs or whose result have codes of 16 bits."""
    (kind, other), seed = draw(st.sampled_from(MIXED)), draw(st.integers(0, 999))
    sizes = draw(st.lists(st.integers(3, 7), min_size=1, max_size=2))
    x = codes(kind, 2, 3, *sizes, seed=seed)
    first, last = parameters(draw, kind), parameters(draw, other)
    name = draw(st.sampled_from(["Add", "Mul", "GlobalAveragePool", "AveragePool", "Rescale"]))
    if name in ("Add", "Mul"):
        again = codes(kind, 3, *sizes, seed=seed + 1)
        return f"QLinear{name}", [x, *first, again, *parameters(draw, kind), *last], {}
    if name == "Rescale":
        least, most = sorted(draw(st.integers(-300, 300)) for _ in range(2))
        return name, [x, *first, *last], {"least": least, "most": most, "alpha": 0.3}
    if name == "GlobalAveragePool":
        return f"QLinear{name}", [x, *first, *last], {}
    kernel = [draw(st.integers(1, 3)) for _ in sizes]
    pads = [0] * len(kernel) + [size - 1 for size in kernel]
    return f"QLinear{name}", [x, *first, *last], {"kernel_shape": kernel, "pads": pads}


@given(of_sixteen_bits())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_operators_of_sixteen_bits(case: Case) -> None:
    check(case)


@st.composite
def pools(draw: st.DrawFn) -> Case:
    """Draw a mean of windows or of channels, or a softmax."""
    kind, seed = draw(st.sampled_from([U8, I8])), draw(st.integers(0, 999))
    sizes = draw(st.lists(st.integers(3, 9), min_size=1, max_size=3))
    x = codes(kind, draw(st.integers(1, 2)), draw(st.integers(1, 4)), *sizes, seed=seed)
    both = [*parameters(draw, kind), *parameters(draw, kind)]
    name = draw(st.sampled_from(["QLinearGlobalAveragePool", "QLinearAveragePool"]))
    if draw(st.booleans()):
        axis = draw(st.integers(-x.ndim, x.ndim - 1))
        attributes: dict[str, Any] = {"opset": draw(st.sampled_from([12, 13])), "axis": axis}
        return "QLinearSoftmax", [x, *both], attributes
    if name == "QLinearGlobalAveragePool":
        return name, [x, *both], {"channels_last": draw(st.integers(0, 1))}
    kernel = [draw(st.integers(1, 3)) for _ in sizes]
    return (
        name,
        [x, *both],
        {
            "kernel_shape": kernel,
            "strides": [draw(st.integers(1, 2)) for _ in sizes],
            "pads": [draw(st.integers(0, k - 1)) for k in (*kernel, *kernel)],
            "count_include_pad": draw(st.integers(0, 1)),
        },
    )


@st.composite
def products(draw: st.DrawFn) -> Case:
    """Draw a product of matrices."""
    rows, depth, columns = (draw(st.integers(1, 9)) for _ in range(3))
    left, right = draw(st.sampled_from([U8, I8])), draw(st.sampled_from([U8, I8]))
    seed, name = draw(st.integers(0, 999)), draw(st.sampled_from(["QGemm", "Dynamic", "ToFloat"]))
    a, b = codes(left, rows, depth, seed=seed), codes(right, depth, columns, seed=seed + 1)
    per_column = draw(st.booleans())
    scale = np.linspace(0.01, 0.2, columns, dtype=F32) if per_column else s(0.03)
    zero = codes(right, columns, seed=seed + 2) if per_column else np.array(5, right)
    added = numbers(columns, seed=seed) if draw(st.booleans()) else None
    if name == "Dynamic":
        x = numbers(rows, depth, seed=seed)
        return "DynamicQuantizeMatMul", [x, b, scale, zero, added], {}
    if name == "ToFloat":
        own = parameters(draw, left)
        return "MatMulIntegerToFloat", [a, b, own[0], scale, own[1], zero, added], {}
    turned = draw(st.integers(0, 1)), draw(st.integers(0, 1))
    a, b = a.T if turned[0] else a, b.T if turned[1] else b
    bias = np.arange(columns, dtype=np.int32) * 100 - 300 if draw(st.booleans()) else None
    result = parameters(draw, left) if draw(st.booleans()) else [None, None]
    attributes = {"transA": turned[0], "transB": turned[1], "alpha": draw(st.floats(0.1, 2))}
    inputs = [a, *parameters(draw, left), b, scale, zero, bias, *result]
    return "QGemm", inputs, attributes


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(element_wise(), pools(), products()))
def test_codes(case: Case) -> None:
    check(case)


BASE = ("-std=c11", "-O2", "-ffp-contract=off")
"""Without an instruction for fused sums on a processor that may have one."""

FACTORS = [
    (0.5, 0.25, -3.0),
    (1.0, 1e-7, 0.5),
    (2.0**-20, 3.0, 2.0**-21),
    (1e20, 1e-20, 1.0),
    (0.1, 0.1, 0.5),
    (3.0, 5.0, 0.0),
    (1.1754944e-38, 1e-30, 1e-39),
]
"""Factors far apart, ties, no third term, and numbers that are subnormal."""


@pytest.mark.parametrize("flags", [BASE, FLAGS], ids=["portable", "native"])
@pytest.mark.parametrize("seed", range(4))
def test_fused_sums_of_all_pairs_of_codes(flags: tuple[str, ...], seed: int) -> None:
    drawn = np.random.default_rng(seed).normal(0, 10.0 ** (2 - 2 * seed), (4, 3)).tolist()
    every = np.arange(256, dtype=np.uint8).view(I8)
    a, b = (np.ascontiguousarray(each) for each in np.meshgrid(every, every))
    fields: Fields = {"rank": 1, "dims": (a.size,), "a_strides": (1,), "b_strides": (1,)}
    for factors in [*FACTORS, *drawn]:
        by = np.asarray(factors, F32)
        args = (In(0), In(1), Constant("by", by), Out(0))
        call = CCall("nb_add_codes_i8", "nb_codes", "nb_binary_config", fields, args)
        found = np.zeros(a.shape, I8)
        Program([call], flags).run([a, b], [found])
        inner = fused(b.astype(F32), by[1], by[2])
        wanted = rounded_codes(fused(a.astype(F32), by[0], inner), np.dtype(I8))
        assert differing(found, wanted) == 0, factors
