"""Train graphs: losses, optimizers, and the graph and memory of a training step.

Names are those of aidge_learning.

Examples
--------
>>> import numpy as np
>>> import aidge_nb
>>> from aidge_nb import learning
>>> model = aidge_nb.sequential([aidge_nb.FC(1, 1, name="fc")])
>>> aidge_nb.constant_filler(model.get_node("fc_w").get_operator().get_output(0), 0.0)
>>> aidge_nb.constant_filler(model.get_node("fc_b").get_operator().get_output(0), 0.0)
>>> model.set_backend("cpu")
>>> scheduler = aidge_nb.SequentialScheduler(model)
>>> optimizer = learning.SGD(momentum=0.5)
>>> optimizer.set_parameters(aidge_nb.producers(model))
>>> optimizer.set_learning_rate_scheduler(learning.constant_lr(0.1))
>>> x = np.array([[0.0], [1.0], [2.0]], np.float32)
>>> for _ in range(200):
...     (y,) = scheduler.forward(data=[x])
...     optimizer.reset_grad()
...     loss = learning.loss.MSE(y, 3 * x - 1)
...     scheduler.backward()
...     optimizer.update()
>>> [round(model.get_node(n).get_operator().get_output(0)[0], 2) for n in ("fc_w", "fc_b")]
[3.0, -1.0]
"""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Losses and metrics
        ".": "loss metrics",
        # Optimizers and learning rates
        "optimizer": "Adam Optimizer SGD",
        "rates": "LRScheduler constant_lr cosine_lr poly_lr step_lr",
        # BatchNorm
        "batchnorm": """
            init_batchnorm_producers insert_batchnorm_nodes set_batchnorm_training_mode
            update_batchnorm_statistics
        """,
        # The graph and memory of a training step
        "memory": "TrainingMemory backward_memory",
        "training": "TrainingGraph training_graph",
    },
)
