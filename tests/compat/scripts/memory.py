"""The calls of the merge request on the memory layout (seed 003), on a file made before."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import aidge_onnx

model = aidge_onnx.load_onnx("model.onnx")
print("fused", aidge_core.fuse_to_metaops(model, "MatMul-*>Add", "Linear"))
last = model.get_ordered_outputs()[0]
model.set_ordered_outputs([last[0].inputs()[0], last])
model.set_backend("cpu")
model.set_datatype(aidge_core.dtype.float32)
model.forward_dims([[1, 3, 28, 28]], True)
s = aidge_core.SequentialScheduler(model)
s.generate_scheduling()
peak, info = aidge_core.generate_optimized_memory_info(
    s, "stats", wrapping=False, display_names=False
)
print("peak", peak > 0, len(info) > 0)
print("native", aidge_onnx.has_native_coverage(model))
aidge_onnx.export_onnx(model, "again.onnx")
