"""Gives operators implementations in Python: for one operator, and for a type."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import numpy as np

aidge_core.Log.set_console_level(aidge_core.Level.Error)

ran = []


class Doubled(aidge_core.OperatorImpl):
    """Computes twice the input."""

    def __init__(self, op):
        """Belong to the CPU."""
        aidge_core.OperatorImpl.__init__(self, op, "cpu")
        self.op = op

    def forward(self):
        """Compute the output."""
        ran.append(self.op.type())
        data = np.array(self.op.get_input(0))
        self.op.set_output(0, aidge_core.Tensor((2 * data).astype(np.float32)))


double = aidge_core.GenericOperator("Double", 1, 0, 1, name="double", factor=2)
operator = double.get_operator()
operator.set_forward_dims(lambda dims: dims)
operator.attr.rounded = True
print("attributes", operator.attr.factor, operator.attr.rounded, operator.attr.has_attr("other"))
double.annotations().add_attr("note", "mine")
print("note", double.annotations().get_attr("note"))

model = aidge_core.sequential([aidge_core.ReLU(name="relu"), double, aidge_core.Tanh(name="tanh")])
model.set_datatype(aidge_core.dtype.float32)
model.get_node("relu").get_operator().set_backend("cpu")
model.get_node("tanh").get_operator().set_backend("cpu")
operator.set_impl(Doubled(operator))
model.forward_dims([[1, 4]])
print("dims", list(model.get_node("tanh").get_operator().get_output(0).dims))
data = aidge_core.Tensor(np.array([[-1, 0, 0.25, 0.5]], np.float32))
scheduler = aidge_core.SequentialScheduler(model)
scheduler.forward(data=[data])
print("ran", ran, np.array(operator.get_output(0)).tolist())


class SilentTanh(aidge_core.OperatorImpl):
    """Stands in for the Tanh of the backend."""

    def __init__(self, op):
        """Belong to the CPU."""
        aidge_core.OperatorImpl.__init__(self, op, "cpu")
        self.op = op

    def forward(self):
        """Give zeros."""
        ran.append("own " + self.op.type())
        self.op.set_output(0, aidge_core.Tensor(np.zeros((1, 4), np.float32)))


aidge_core.register_TanhOp("cpu", SilentTanh)
print("registered", "cpu" in aidge_core.get_keys_TanhOp())
other = aidge_core.Tanh(name="other").get_operator()
other.associate_input(0, data)
other.forward_dims()
other.set_backend("cpu")
other.forward()
print("ran", ran[-1], np.array(other.get_output(0)).tolist())
print("kinds", isinstance(other, aidge_core.TanhOp), isinstance(operator, aidge_core.TanhOp))

loop = aidge_core.GenericOperator("Loop", 2, 0, 1, name="loop")
loop.get_operator().set_back_edges({1})
print("back edge", loop.parent_is_back_edge(0), loop.parent_is_back_edge(1))
