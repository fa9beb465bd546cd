"""Every model of the zoo can be trained, as it is planned."""

from __future__ import annotations

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.tensor import Tensor
from aidge_nb.learning import backward_memory, training_graph
from tests.runtime.models import random_inputs, zoo_view
from tests.zoo.small import SMALL


@pytest.mark.parametrize("name", list(SMALL))
def test_gradients_come_back_to_all_parameters(name: str) -> None:
    view = zoo_view(name)
    inputs = [Tensor(x) for x in random_inputs(view)]
    scheduler = aidge_nb.SequentialScheduler(view)
    for output in scheduler.forward(data=inputs):
        if output.dtype.is_float:
            output.grad = Tensor(np.ones(output.dims, output.dtype.numpy))
    scheduler.backward()
    parameters = {
        node.name(): node.get_operator().get_output(0)
        for node in aidge_nb.producers(view)
        if node.get_operator().get_output(0).dtype.is_float
    }
    without = {each for each, tensor in parameters.items() if not tensor.has_grad()}
    assert all("running" in each for each in without), without
    leaves = [*parameters.values(), *(x for x in inputs if x.dtype.is_float)]
    grads = [tensor.grad.array for tensor in leaves if tensor.has_grad()]
    assert all(np.isfinite(grad).all() for grad in grads)
    if name == "lstm_classifier":  # a loop: how often it turns is known when it has run
        with pytest.raises(aidge_nb.SchedulingError, match="the graph has a loop"):
            training_graph(view)
        return
    step = training_graph(view)
    planned = [p.node.get_operator().get_output(p.index).dims for p in step.gradients]
    assert sorted(planned) == sorted(grad.shape for grad in grads)
    memory = backward_memory(step)
    aidge_nb.check_plan(memory.plan)
    assert memory.peak >= max(memory.forward_peak, memory.kept)
