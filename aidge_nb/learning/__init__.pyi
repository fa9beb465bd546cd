# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.learning import loss
from aidge_nb.learning import metrics
from aidge_nb.learning.batchnorm import init_batchnorm_producers
from aidge_nb.learning.batchnorm import insert_batchnorm_nodes
from aidge_nb.learning.batchnorm import set_batchnorm_training_mode
from aidge_nb.learning.batchnorm import update_batchnorm_statistics
from aidge_nb.learning.memory import TrainingMemory
from aidge_nb.learning.memory import backward_memory
from aidge_nb.learning.optimizer import Adam
from aidge_nb.learning.optimizer import Optimizer
from aidge_nb.learning.optimizer import SGD
from aidge_nb.learning.rates import LRScheduler
from aidge_nb.learning.rates import constant_lr
from aidge_nb.learning.rates import cosine_lr
from aidge_nb.learning.rates import poly_lr
from aidge_nb.learning.rates import step_lr
from aidge_nb.learning.training import TrainingGraph
from aidge_nb.learning.training import training_graph

__all__ = [
    "loss",
    "metrics",
    "Adam",
    "Optimizer",
    "SGD",
    "LRScheduler",
    "constant_lr",
    "cosine_lr",
    "poly_lr",
    "step_lr",
    "init_batchnorm_producers",
    "insert_batchnorm_nodes",
    "set_batchnorm_training_mode",
    "update_batchnorm_statistics",
    "TrainingMemory",
    "backward_memory",
    "TrainingGraph",
    "training_graph",
]
