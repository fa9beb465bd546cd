"""An operator that ONNX does not know, as the tutorial on ONNX files has one."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import aidge_onnx
import numpy as np

aidge_core.Log.set_console_level(aidge_core.Level.Error)
aidge_core.utils.download_file(file_path="swish.onnx", file_url="https://nowhere.invalid/swish")
unknown = aidge_onnx.load_onnx("swish.onnx")
print("before", [node.type() for node in unknown.get_nodes()])


@aidge_onnx.node_import.auto_register_import("swish")
def import_swish(onnx_node, input_nodes, opset, inputs_tensor_info):
    """Make the operator that stands for the node."""
    assert (len(input_nodes), opset, len(inputs_tensor_info)) == (1, 1, 1)
    beta = next(each.f for each in onnx_node.attribute if each.name == "beta")
    return aidge_core.GenericOperator("MySwish", 1, 0, 1, onnx_node.name, beta=beta)


class SwishImpl(aidge_core.OperatorImpl):
    """Computes in Python."""

    def __init__(self, op):
        """Belong to the CPU."""
        aidge_core.OperatorImpl.__init__(self, op, "cpu")
        self.op = op

    def forward(self):
        """Compute the output from the input."""
        data = np.array(self.op.get_input(0))
        given = data / (1 + np.exp(-data * self.op.attr.beta))
        self.op.set_output(0, aidge_core.Tensor(given))


model = aidge_onnx.load_onnx("swish.onnx")
operator = model.get_node("swish").get_operator()
operator.set_forward_dims(lambda dims: dims)
operator.set_impl(SwishImpl(operator))
source = aidge_core.Producer(aidge_core.Tensor(np.zeros((1, 4), np.float32)), "X")
source.get_operator().set_backend("cpu")
source.add_child(model)
model.add(source)
model.save("with_input", verbose=True, show_producers=True)
(output,) = aidge_core.SequentialScheduler(model).forward()
print("after", model.get_node("swish").type(), np.array(output).tolist())
aidge_core.Log.notice("done")
