"""Runs spiking neurons over a sequence, and watches a sum."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import numpy as np

aidge_core.Log.set_console_level(aidge_core.Level.Error)

sequence = (np.arange(12, dtype=np.float32) * 0.53 % 1.7).reshape(6, 1, 2)


def last(cell):
    """Feed the sequence step by step, and return what the outputs are at the end."""
    pop = aidge_core.Pop(name="pop")
    pop.add_child(cell)
    graph = aidge_core.get_connected_graph_view(cell)
    aidge_core.expand_metaops(graph)
    graph.set_backend("cpu")
    graph.forward_dims([[6, 1, 2]], True)
    outputs = aidge_core.SequentialScheduler(graph).forward(data=[aidge_core.Tensor(sequence)])
    return [np.round(np.array(each), 4).ravel().tolist() for each in outputs]


print("leaky", last(aidge_core.Leaky(6, 0.75, 1.0, name="leaky")))
print("recurrent", last(aidge_core.RLeaky(6, 0.75, 1.0, -0.5, name="recurrent")))
print("cusum", last(aidge_core.Cusum(0.6, name="watch")))
