"""Writes a network as ONNX and reads it again."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import aidge_onnx
import numpy as np
import onnx

aidge_core.Log.set_console_level(aidge_core.Level.Error)

model = aidge_core.sequential(
    [
        aidge_core.Conv2D(1, 2, [3, 3], name="conv"),
        aidge_core.ReLU(name="relu"),
        aidge_core.MaxPooling2D([2, 2], stride_dims=[2, 2], name="pool"),
        aidge_core.Sigmoid(name="end"),
    ]
)
model.set_ordered_outputs([(model.get_node("end"), 0)])
model.compile("cpu", aidge_core.dtype.float32, dims=[[1, 1, 6, 6]])
for node in model.get_nodes():
    if node.type() == "Producer":
        aidge_core.constant_filler(node.get_operator().get_output(0), 0.25)
data = aidge_core.Tensor((np.arange(36, dtype=np.float32) / 36).reshape(1, 1, 6, 6))
scheduler = aidge_core.SequentialScheduler(model)
scheduler.forward(data=[data])
before = np.array(model.get_node("end").get_operator().get_output(0))
print("coverage", aidge_onnx.has_native_coverage(model))

aidge_onnx.export_onnx(
    model, "again.onnx", inputs_dims={"conv": [[1, 1, 6, 6]]}, outputs_dims={"end": [[1, 2, 2, 2]]}
)
print("valid", aidge_onnx.check_onnx_validity("again.onnx"))
stored = onnx.load("again.onnx")
print("operators", [node.op_type for node in stored.graph.node])

again = aidge_onnx.load_onnx("again.onnx")
print("types", sorted(node.type() for node in again.get_nodes()))
again.compile("cpu", aidge_core.dtype.float32, dims=[[1, 1, 6, 6]])
scheduler = aidge_core.SequentialScheduler(again)
scheduler.forward(data=[data])
output = next(iter(again.get_output_nodes())).get_operator().get_output(0)
print("same", np.allclose(before, np.array(output)), np.array(output).shape)

copy = aidge_onnx.convert_onnx_to_aidge(stored)
print("converted", sorted(node.type() for node in copy.get_nodes()))
aidge_onnx.export_onnx(again, "third.onnx")
print("isomorphic", aidge_onnx.check_isomorphism("again.onnx", "third.onnx"))
inputs = aidge_onnx.generate_random_inputs_from_onnx(stored)
print("inputs", [array.shape for array in inputs.values()])
print("relu" in aidge_onnx.node_import.supported_operators())
