"""What is served does what it says, beyond what the probes ask."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb

pytestmark = pytest.mark.usefixtures("served")


def small() -> Any:
    import aidge_core

    parts = [aidge_core.FC(4, 3, name="fc"), aidge_core.ReLU(name="act")]
    graph = aidge_core.sequential(parts)
    graph.compile("cpu", aidge_core.dtype.float32, dims=[[1, 4]])
    for name in ("fc_w", "fc_b"):
        aidge_core.constant_filler(graph.get_node(name).get_operator().get_output(0), 0.5)
    return graph


def scheduled(graph: Any) -> Any:
    import aidge_core

    scheduler = aidge_core.SequentialScheduler(graph)
    scheduler.generate_scheduling()
    return scheduler


def test_a_back_edge_of_a_generic_operator_closes_a_loop() -> None:
    import aidge_core

    first = aidge_core.GenericOperator("Loop", 2, 0, 1, name="loop")
    first.get_operator().set_back_edges({1})
    last = aidge_core.ReLU(name="last")
    first.add_child(last)
    last.add_child(first, 0, 1)
    graph = aidge_core.get_connected_graph_view(first)
    assert [node.name() for node in graph.get_ordered_nodes()] == ["loop", "last"]
    assert first.parent_is_back_edge(1)
    assert graph.clone().get_node("loop").parent_is_back_edge(1)


def test_a_model_of_ones_own_is_registered_for_a_backend() -> None:
    import aidge_core

    class Nothing(aidge_core.ProdConso):  # type: ignore[misc]  # found at run time
        """Requires nothing."""

        def get_nb_required_data(self, input_idx: int) -> Any:
            """Require nothing."""
            return aidge_core.Elts_t.none_elts()

    aidge_core.register_ProdConso(["cpu", "Tanh"], lambda op: Nothing(op, False))
    assert ("cpu", "Tanh") in aidge_core.get_keys_ProdConso()
    operator = aidge_core.Tanh().get_operator()
    operator.set_backend("cpu")
    assert isinstance(operator.get_impl().prod_conso(), Nothing)


def test_counts_of_ones_own_are_registered_for_a_type() -> None:
    import aidge_core

    class Many(aidge_core.OperatorStats):  # type: ignore[misc]  # found at run time
        """Counts a thousand."""

        def get_nb_nl_ops(self) -> int:
            """Count."""
            return 1000

    aidge_core.register_OperatorStats("ReLU", Many)
    graph = small()
    try:
        assert aidge_core.StaticAnalysis(graph).get_nb_nl_ops() == 1000
        scheduler = scheduled(graph)
        assert aidge_core.DynamicAnalysis(scheduler).get_nb_nl_ops() == 1000
    finally:
        aidge_core.aidge_core.analysis.REGISTERED.clear()


def test_analysis_prints_and_draws(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from aidge_core.static_analysis import StaticAnalysis

    stats = StaticAnalysis(small())
    stats.summary()
    assert "fc (FC#0)" in capsys.readouterr().out
    assert stats.log_nb_mac_ops(tmp_path / "macs.png", "MACs") == [
        ["fc (FC#0)", 12],
        ["act (ReLU#0)", 0],
    ]
    assert "<rect" in (tmp_path / "macs.svg").read_text()


def test_memory_is_laid_out_for_components_and_drawn(tmp_path: Path) -> None:
    import aidge_core

    scheduler = scheduled(small())
    memories = {"fast": aidge_core.Memory(16), "slow": aidge_core.Memory(1024, priority=1)}
    peaks, info = aidge_core.mem_info.generate_optimized_memory_info(
        scheduler, multiple_mems=True, memory_components=memories
    )
    assert peaks[0] <= 16
    assert len(info) == 4
    aidge_core.mem_info.log_meminfo(scheduler.generate_memory(), tmp_path / "memory.png", True)
    assert ">act<" in (tmp_path / "memory.svg").read_text()


def test_json_of_a_graph_has_its_numbers(tmp_path: Path) -> None:
    from aidge_core.show_graphview import gview_to_json, str_aidge_graph_structure

    graph = small()
    gview_to_json(graph, tmp_path / "in.json", write_trainable_params_embed=True)
    told = {node["name"]: node for node in json.loads((tmp_path / "in.json").read_text())["graph"]}
    assert told["fc_b"]["attributes"]["tensor_data"] == [0.5, 0.5, 0.5]
    assert told["fc"]["parents"] == ["fc_w", "fc_b"]
    gview_to_json(graph, tmp_path / "by.json", False, True, "npz")
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["by_fc_b.npz", "by_fc_w.npz"]
    assert "- fc (FC) -> act" in str_aidge_graph_structure(graph)


def test_programs_are_written_in_the_order_of_a_scheduler(tmp_path: Path) -> None:
    import aidge_core

    scheduler = scheduled(small())
    peak = aidge_core.export_utils.scheduler_export(scheduler, tmp_path / "program")
    assert peak == 12  # ReLU works in place
    assert (tmp_path / "program" / aidge_core.export_utils.EXPORT_MANIFEST_NAME).is_file()
    package = aidge_core.serialize_to_cpp(str(tmp_path / "again"), small())
    assert package.plan.arena_bytes == peak


def test_an_export_library_is_a_backend_to_choose() -> None:
    import aidge_core
    import aidge_export_cpp

    class Library(aidge_core.export_utils.ExportLib):  # type: ignore[misc]  # found at run time
        """Knows ReLU."""

        _name = "mine"

    spec = aidge_core.ImplSpec(aidge_core.IOSpec(aidge_core.dtype.float32))

    @Library.register("ReLU", spec)
    class Kernel:
        """Stands for the kernel."""

    graph = small()
    operator = graph.get_node("act").get_operator()
    operator.set_backend("mine")
    assert operator.get_impl().get_export_node(spec) is Kernel
    assert operator.get_impl().get_available_impl_specs() == [spec]
    assert aidge_core.export_utils.get_export_libs_from_names(["mine", "export_cpp"]) == [
        Library,
        aidge_export_cpp.ExportLibCpp,
    ]
    assert aidge_export_cpp.coverage_report(graph)[1] == {}


def test_batches_are_transformed_by_a_graph() -> None:
    import aidge_core

    class Numbers(aidge_core.Database):  # type: ignore[misc]  # found at run time
        """Numbers below zero."""

        def get_item(self, index: int) -> list[Any]:
            """Give one."""
            return [aidge_core.Tensor(np.array([-1.0 - index], np.float32))]

        def len(self) -> int:
            """Count."""
            return 3

        def get_nb_modalities(self) -> int:
            """Count."""
            return 1

    provider = aidge_core.DataProvider(Numbers(), 2, shuffle=True)
    provider.transforms(0, aidge_core.sequential([aidge_core.Abs()]))
    assert sorted(float(x) for batch in provider for x in np.ravel(batch[0])) == [1.0, 2.0, 3.0]


def test_onnx_files_are_compared_by_structure(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    import aidge_core
    import aidge_onnx

    other = aidge_core.sequential([aidge_core.ReLU(name="x"), aidge_core.ReLU(name="y")])
    other.forward_dims([[1, 4]])
    for name, graph in (("a", small()), ("b", small()), ("c", other)):
        aidge_onnx.export_onnx(graph, tmp_path / f"{name}.onnx")
    assert aidge_onnx.check_isomorphism(tmp_path / "a.onnx", tmp_path / "b.onnx")
    assert not aidge_onnx.check_isomorphism(tmp_path / "a.onnx", tmp_path / "c.onnx")
    (tmp_path / "d.onnx").write_bytes(b"")
    assert not aidge_onnx.check_onnx_validity(tmp_path / "d.onnx")


def test_attributes_that_are_given_as_tensors_want_no_gradient() -> None:
    import aidge_core

    shape, reshape = aidge_core.Shape(name="shape"), aidge_core.Reshape(name="reshape")
    relu = aidge_core.ReLU(name="relu")
    relu.add_child(reshape, 0, 0)
    relu.add_child(shape)
    shape.add_child(reshape, 0, 1)
    graph = aidge_core.get_connected_graph_view(relu)
    assert aidge_core.skip_attr_backward(graph) == 1
    assert shape.annotations().get_attr("skipBackward")


def test_constants_of_a_known_shape_are_folded() -> None:
    import aidge_core

    shape = aidge_core.Producer(aidge_core.Tensor(np.array([2, 3])), "shape", True)
    made = aidge_core.ConstantOfShape(name="zeros")
    shape.add_child(made)
    add = aidge_core.Add(name="add")
    made.add_child(add, 0, 1)
    graph = aidge_core.get_connected_graph_view(add)
    assert aidge_core.fold_constantOfShape(graph) == 1
    assert sorted(node.type() for node in graph.get_nodes()) == ["Add", "Producer"]
    assert graph.get_node("zeros").get_operator().dims() == [2, 3]


def test_bits_are_flipped() -> None:
    import aidge_core

    ones = np.ones(4, np.float32)

    def flipped(node: Any) -> list[int]:
        operator = node.get_operator()
        operator.set_input(0, aidge_core.Tensor(ones))
        operator.forward_dims()
        counts = []
        for _ in range(2):
            operator.forward()
            bits = np.array(operator.get_output(0)).view(np.uint8) ^ ones.view(np.uint8)
            counts.append(bits.tolist())
        assert sum(int(np.unpackbits(np.array(each, np.uint8)).sum()) for each in counts) == 10
        return counts

    first, second = flipped(aidge_core.FixedNBitFlip(5))
    assert first == second
    flipped(aidge_core.NBitFlip(5))
    graph = small()
    before = np.array(
        aidge_core.SequentialScheduler(graph).forward(
            data=[aidge_core.Tensor(np.ones((1, 4), np.float32))]
        )[0]
    )
    aidge_core.inject_ber_to_layer(graph, 0.0, "fc")
    graph.forward_dims()
    after = np.array(
        aidge_core.SequentialScheduler(graph).forward(
            data=[aidge_core.Tensor(np.ones((1, 4), np.float32))]
        )[0]
    )
    assert (before == after).all()


def test_an_onnx_file_keeps_its_names_where_aidge_is_not_asked(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    import aidge_onnx

    values = [onnx.helper.make_tensor_value_info(name, 1, [1, 4]) for name in "xy"]
    names = ("/block.0/Relu", "block.0.Relu")
    nodes = [
        onnx.helper.make_node("Relu", ["x"], ["a"], names[0]),
        onnx.helper.make_node("Relu", ["a"], ["y"], names[1]),
    ]
    model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", values[:1], values[1:]))
    onnx.save(model, tmp_path / "model.onnx")
    path = tmp_path / "model.onnx"
    assert sorted(node.name() for node in aidge_nb.load_onnx(path)) == sorted(names)
    found = aidge_onnx.load_onnx(path)
    assert sorted(node.name() for node in found) == ["block_0_Relu", "block_0_Relu_1"]


def test_onnx_files_are_simplified_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import aidge_core
    import aidge_onnx

    graph = aidge_core.sequential([aidge_core.Identity(name="same"), aidge_core.ReLU(name="act")])
    graph.forward_dims([[1, 4]])
    paths = [str(tmp_path / name) for name in ("in.onnx", "out.onnx")]
    aidge_onnx.export_onnx(graph, paths[0])
    monkeypatch.setattr("sys.argv", ["onnx_cleaner", *paths])
    aidge_onnx.onnx_cleaner_cli()
    assert [node.type() for node in aidge_onnx.load_onnx(paths[1])] == ["ReLU"]


def test_options_that_change_nothing_are_told(caplog: pytest.LogCaptureFixture) -> None:
    from aidge_export_cpp import ExportConfig

    with caplog.at_level("WARNING"):
        ExportConfig(export_folder="program", compile=False, multiple_mems=False)
        assert caplog.messages == []
        ExportConfig(cmsis=True)
    assert caplog.messages == ["ExportConfig: cmsis=True has no effect here"]


def test_biases_are_cleared() -> None:
    graph = small()
    import_module("aidge_quantization").clear_biases(graph)
    values = [np.array(graph.get_node(n).get_operator().get_output(0)) for n in ("fc_w", "fc_b")]
    assert [each.any() for each in values] == [True, False]


@pytest.mark.parametrize("expanded", [False, True])
def test_a_sum_without_an_end_goes_on_with_each_vector(expanded: bool) -> None:
    """As one node it makes a turn per execution, and begins anew in each pass."""
    import aidge_core

    cusum, pop = aidge_core.Cusum(0.5, name="watch"), aidge_core.Pop(name="pop")
    pop.add_child(cusum)
    graph = aidge_core.get_connected_graph_view(pop)
    graph.set_backend("cpu")
    graph.forward_dims([[3, 2]], True)
    data = [aidge_core.Tensor(np.ones((3, 2), np.float32))]
    if expanded:
        aidge_core.expand_metaops(graph)
    scheduler = aidge_core.SequentialScheduler(graph)
    for _ in range(2):
        outputs = scheduler.forward(data=data)
        assert np.asarray(outputs[0]).tolist() == [1.5, 1.5]


def test_the_package_asks_for_sources() -> None:
    """``node.input(i)`` is Aidge's: while its names are served, a free input is a port."""
    asked = re.compile(r"^(?! *>>>).*(?<!port\.)node\.inputs?\(", re.MULTILINE)
    root = Path(aidge_nb.__file__).parent
    texts = {str(path.relative_to(root)): path.read_text("utf-8") for path in root.rglob("*.py")}
    assert [name for name, text in texts.items() if asked.search(text)] == []
