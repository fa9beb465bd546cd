"""What a node is to the C kernels, which calls compute it, and what headers declare."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import ExportError
from aidge_nb.graph import OpSpec
from aidge_nb.graph.spec import InputSpec
from aidge_nb.kernels.c import (
    CCall,
    Constant,
    In,
    Out,
    Site,
    add_unit,
    c_calls,
    c_kernel,
    describe_site,
    find_c_kernel,
    find_unit,
    has_c_kernel,
    struct_of,
    units_of,
)
from aidge_nb.kernels.c.adapters.common import joined
from aidge_nb.kernels.c.calls import Fields
from aidge_nb.kernels.c.compiling import Program, compile_units, filled_struct
from aidge_nb.kernels.c.node_calls import site_of_operator
from aidge_nb.kernels.c.units import all_units, units_named
from aidge_nb.kernels.padded import inner_window

FOLDER = Path(__file__).resolve().parents[3] / "kernels" / "c"
FILES = sorted([*FOLDER.glob("include/*.h"), *FOLDER.glob("src/*.c")])


def one_node(node: aidge_nb.Node, *dims: list[int]) -> aidge_nb.Node:
    """Give a node whose dimensions are known."""
    view = aidge_nb.GraphView()
    view.add(node)
    view.forward_dims(list(dims))
    return node


def convolution() -> aidge_nb.Node:
    """Give a padded convolution in a graph, with its weights."""
    view = aidge_nb.sequential([aidge_nb.PaddedConv2D(3, 8, [3, 3], "c", padding_dims=[1] * 4)])
    for index, dims in ((1, (8, 3, 3, 3)), (2, (8,))):
        parent = view.get_node("c").get_parent(index)
        assert parent is not None
        parent.get_operator().set_output(0, aidge_nb.Tensor(np.ones(dims, np.float32)))
    view.forward_dims([[1, 3, 5, 5]])
    return view.get_node("c")


def test_a_padded_convolution_is_one_call_with_packed_weights() -> None:
    (call,) = c_calls(convolution())
    assert call.function == "nb_conv_packed_f32"
    assert call.fields["pads"] == (0, 1, 1)
    weight = call.args[1]
    assert isinstance(weight, Constant)
    assert weight.of == 1
    assert weight.array.size == 8 * 27


def test_units_are_found_with_what_they_need() -> None:
    names = [unit.name for unit in units_of(c_calls(convolution()))]
    assert names == sorted(names)
    assert {"nb_conv_packed", "nb_conv", "nb_conv_taps", "nb_taps", "nb_common"} <= set(names)


def test_units_of_which_only_the_header_is_needed_have_no_source() -> None:
    units = {unit.name: unit for unit in units_named(["nb_conv_packed_then", "nb_lstm_codes"])}
    assert units["nb_conv"].header == find_unit("nb_conv").header
    assert units["nb_conv"].source is units["nb_conv_packed"].source is None
    assert units["nb_quantize"].source is not None  # the codes are found by one of its functions
    helper = (
        "static inline float my_half(float x) { return 0.5f * x; }\n"
        "extern const float my_table[2];\nfloat my_sum(float a, float b);\n"
    )
    add_unit("my_helper", helper, "int my_own;\n")
    code = '#include "my_helper.h"\nfloat {}(void) {{ return {}; }}\n'
    for name, used in {"my_a": "my_table[1]", "my_b": "my_sum(1.0f, 2.0f)"}.items():
        add_unit(name, f"float {name}(void);\n", code.format(name, used))
        assert all(unit.source is not None for unit in units_named([name]))
    add_unit("my_c", "float my_c(void);\n", code.format("my_c", "my_half(1.0f)"))
    assert [unit.source is None for unit in units_named(["my_c"])] == [False, True]


@pytest.mark.slow
def test_each_unit_links_with_those_that_it_needs(compiler: str, tmp_path: Path) -> None:
    link = ("-shared", "-Wl,--no-undefined")
    for unit in all_units():
        if unit.source is not None:
            compile_units(units_named([unit.name]), tmp_path / "one.so", compiler, ("-O0",), link)


def test_padding_with_other_numbers_is_no_window() -> None:
    node = aidge_nb.PaddedConv2D(3, 8, [3, 3], padding_dims=[1] * 4)
    micro = node.get_operator().micro_graph
    assert micro is not None
    pad = next(inner for inner in micro.get_nodes() if inner.type() == "Pad")
    assert inner_window(node.get_operator()) is not None
    pad.get_operator().attr.constant_value = 1.0
    assert inner_window(node.get_operator()) is None


def test_other_meta_operators_are_to_be_expanded() -> None:
    lstm = aidge_nb.LSTM(2, 3, 4, name="lstm")
    assert not has_c_kernel(lstm)
    with pytest.raises(ExportError, match=r"lstm .*has no C kernel.*expand_metaops"):
        c_calls(lstm)


def test_unknown_dims_are_named() -> None:
    node = aidge_nb.ReLU(name="relu")
    view = aidge_nb.sequential([aidge_nb.Tanh(), node])
    assert view is not None
    with pytest.raises(ExportError, match=r"relu .*dimensions are unknown.*forward_dims"):
        describe_site(node)


def test_what_must_be_known_is_named() -> None:
    node = one_node(aidge_nb.Clip(name="clip"), [4])
    site = describe_site(node)
    with pytest.raises(ExportError, match=r"clip .*input#1: must be known before the program runs"):
        site.constant(1)


def test_optional_outputs_that_nothing_reads_are_left_out() -> None:
    node = one_node(aidge_nb.MaxPooling2D([2, 2], name="pool"), [1, 1, 4, 4])
    (call,) = c_calls(node)
    assert call.args == (In(0), Out(0))
    (call,) = c_calls(node, unread=[])
    assert call.args == (In(0), Out(0), Out(1))


def test_a_kernel_of_ones_own_in_ten_lines() -> None:
    spec = OpSpec("Triple", (InputSpec("x"),), lambda context: [context.dim(0)])
    add_unit(
        "my_triple",
        '#include "nb_common.h"\ntypedef struct my_triple_config { int32_t n; } my_triple_config;',
        '#include "my_triple.h"\n'
        "void my_triple(const my_triple_config *c, const float *x, float *y)\n"
        "{ for (int32_t i = 0; i < c->n; ++i) y[i] = 3.0f * x[i]; }\n",
    )

    @c_kernel(spec)
    def triple(site: Site) -> CCall:
        fields = {"n": site.outputs[0].size}
        return CCall("my_triple", "my_triple", "my_triple_config", fields, (In(0), Out(0)))

    node = one_node(aidge_nb.ReLU(), [3])
    site = describe_site(node)
    assert find_c_kernel(spec) is triple
    x, y = np.array([1, 2, 3], np.float32), np.empty(3, np.float32)
    Program([triple(site)]).run([x], [y])
    assert y.tolist() == [3, 6, 9]


def test_a_second_kernel_is_refused() -> None:
    spec = OpSpec("Once", (InputSpec("x"),), lambda context: [context.dim(0)])
    adapter = c_kernel(spec)(lambda site: ())
    assert find_c_kernel(spec) is adapter
    with pytest.raises(ExportError, match="has a C kernel already"):
        c_kernel(spec)(lambda site: ())


def test_sites_come_from_operators_too() -> None:
    node = convolution()
    site = describe_site(node)
    again = site_of_operator(node.get_operator(), site.inputs, site.outputs)
    assert dict(again.attrs) == dict(site.attrs)
    assert again.spec is site.spec


def test_fields_must_be_those_of_the_struct() -> None:
    kind = struct_of("nb_unary", "nb_unary_config")
    with pytest.raises(ExportError, match=r"nb_unary_config: wrong fields"):
        filled_struct(kind, {"number": 3})
    with pytest.raises(ExportError, match=r"nb_unary_config.count: does not fit"):
        filled_struct(kind, {"count": 2**31})
    wide = struct_of("nb_move", "nb_move_config")
    fields: Fields = {"rank": 1, "dims": (1,) * 9, "x_strides": (), "y_strides": (), "size": 4}
    with pytest.raises(ExportError, match=r"dims: too many numbers"):
        filled_struct(wide, fields)


def test_headers_that_cannot_be_read_say_why() -> None:
    add_unit("my_odd", "typedef struct my_odd_config { char *text; } my_odd_config;")
    with pytest.raises(ExportError, match=r"my_odd\.h, my_odd_config: cannot read a field"):
        struct_of("my_odd", "my_odd_config")
    with pytest.raises(ExportError, match="declares no such struct"):
        struct_of("nb_unary", "nb_other_config")
    with pytest.raises(ExportError, match="no header has this name"):
        find_unit("nb_missing")
    with pytest.raises(ExportError, match="there is another one of this name"):
        add_unit("nb_unary", "")


def test_structs_are_laid_out_as_the_compiler_does() -> None:
    """All fields have four bytes, so that no compiler puts anything between them."""
    for unit in all_units():
        text = re.sub(r"/\*.*?\*/", "", unit.header, flags=re.DOTALL)
        for name in re.findall(r"\}\s*(nb_\w+_config)\s*;", text):
            for field in struct_of(unit.name, name)._fields_:
                kind = getattr(field[1], "_type_", field[1])
                size = getattr(kind, "_type_", kind)
                assert size in ("i", "I", "f", "l", "L"), (name, field[0])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_say_what_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("/* SPDX-License-Identifier: MIT-0 */\n")
    assert len(text.splitlines()) <= 400
    assert max(map(len, text.splitlines())) <= 100
    assert "\t" not in text
    if path.suffix == ".h":
        assert f" * {path.stem}: " in text
    for banned in ("malloc", "free(", "math.h", "stdlib.h", "stdio.h", "double"):
        assert banned not in text, banned


def test_joined_dimensions_go_through_the_same_elements() -> None:
    dims, a, b = joined("", (2, 1, 3, 4), (12, 7, 4, 1), (0, 9, 0, 0))
    assert (dims, a, b) == ((24,), (1,), (0,))
    with pytest.raises(ExportError, match="too many dimensions"):
        joined("here", (2,) * 9, tuple(range(9)))
    assert joined("", (3, 0), (1, 1)) == ((0,), (0,))
