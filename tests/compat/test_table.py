"""The table of names is made by asking for them."""

import fnmatch
import re
from importlib import import_module

import pytest

from aidge_nb.compat import api_table
from aidge_nb.compat.__main__ import main
from aidge_nb.compat.served.unserved import REASONS, UNSERVED, reason_of

TABLE = api_table()

# Everything that the tutorials of Aidge call.
CALLED = [
    "Scheduler.generate_scheduling",
    "Scheduler.get_static_scheduling",
    "Scheduler.reset_scheduling",
    "Scheduler.save_static_scheduling_diagram",
    "Scheduler.save_factorized_static_scheduling_diagram",
    "Scheduler.save_scheduling_diagram",
    "Scheduler.connect_inputs",
    "Scheduler.tag_conditional_nodes",
    "Scheduler.tag_fork_branches",
    "SequentialScheduler.forward",
    "SequentialScheduler.backward",
    "SequentialScheduler.set_scheduling_policy",
    "SequentialScheduler.generate_memory",
    "ParallelScheduler.forward",
    "SchedulingPolicy.Default",
    "SchedulingPolicy.LonguestBranchFirst",
    "StaticSchedulingElement.earlier_than",
    "SchedulingElement.start",
    "ProdConso.get_required_memory",
    "ProdConso.get_operator",
    "Elts_t.data_elts",
    "Elts_t.none_elts",
    "OperatorImpl.get_prod_conso",
    "GraphView.compile",
    "GraphView.forward_dims",
    "GraphView.get_node",
    "GraphView.get_nodes",
    "GraphView.replace",
    "GraphView.save",
    "GraphView.set_backend",
    "GraphView.set_datatype",
    "GraphView.set_ordered_outputs",
    "Node.get_operator",
    "Node.get_parent",
    "Node.inputs",
    "Operator.set_impl",
    "Operator.set_input",
    "InputCategory.Data",
    "InputCategory.OptionalParam",
    "GenericOperator",
    "Producer",
    "sequential",
    "get_connected_graph_view",
    "expand_metaops",
    "fuse_to_metaops",
    "get_conv_horizontal_tiling",
    "generate_optimized_memory_info",
    "Tensor",
    "dtype.float32",
    "LSTM",
    "ReLU",
    "Conv2D",
    "PaddedConv2D",
    "BatchNorm2D",
    "LeakyReLU",
    "SinglePassGraphMatching.match",
]


@pytest.mark.parametrize("name", CALLED)
def test_what_the_tutorials_call_is_served(name: str) -> None:
    assert TABLE.served(f"aidge_core.{name}")


@pytest.mark.parametrize(
    "name", ["Adam", "SGD", "Optimizer.update", "cosine_lr", "loss.MSE", "loss.BCE", "loss.CELoss"]
)
def test_what_trains_a_network_is_served(name: str) -> None:
    assert TABLE.served(f"aidge_learning.{name}")


def test_what_is_not_there_is_not_said_to_be() -> None:
    assert not TABLE.served("aidge_core.fibnlr")
    assert not TABLE.served("aidge_core.Tensor.from_data_ptr")


def test_members_of_objects_count() -> None:
    assert TABLE.served("aidge_core.SchedulingPolicy.name")


def test_most_of_it_is_served() -> None:
    mine = [each.served for each in TABLE.names if each.area != "quantization"]
    assert sum(mine) >= 0.9 * len(mine)
    served, total = TABLE.count_members()
    assert served >= 0.95 * total


def test_every_name_that_is_not_served_has_a_reason_and_no_other_has() -> None:
    lacking = [each.name for each in TABLE.names if not each.served]
    assert [name for name in lacking if not reason_of(name)[0]] == []
    assert [pattern for pattern in UNSERVED if not fnmatch.filter(lacking, pattern)] == []
    assert {kind for kind, _ in UNSERVED.values()} == set(REASONS)


@pytest.mark.usefixtures("served")
def test_the_reason_is_in_the_message() -> None:
    for each in TABLE.names:
        if not each.served:
            module = import_module(each.package.split(".")[0])
            for part in each.package.split(".")[1:]:
                module = getattr(module, part)
            why, instead = reason_of(each.name)
            with pytest.raises(AttributeError, match=re.escape(f"{why}; instead: {instead}")):
                getattr(module, each.name)


def test_served_names_work_in_families() -> None:
    """Each operator has its class and its registry, whether it is declared or not."""
    for each in TABLE.names:
        if each.area in ("operator classes", "types"):
            assert each.served, each.name
    assert [each.name for each in TABLE.names if each.area == "registries" and not each.served] == [
        f"{verb}_Tensor" for verb in ("get_key_value", "get_keys", "register")
    ]


def test_counts_and_text_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--table"]) == 0
    text = capsys.readouterr().out
    served, total = TABLE.count("scheduler")
    assert f"| scheduler | {served} | {total} |" in text
    assert served / total > 0.9
    assert "small probes that real Aidge answered" in text
    assert all(f"{each.name}`" in text for each in TABLE.names)
