"""Exports a network to C++ or C, and looks at what was written."""

from pathlib import Path

import aidge_backend_cpu  # noqa: F401
import aidge_core
import aidge_export_cpp
import numpy as np

aidge_core.Log.set_console_level(aidge_core.Level.Error)

model = aidge_core.sequential(
    [aidge_core.FC(4, 3, name="fc"), aidge_core.ReLU(name="relu"), aidge_core.FC(3, 2, name="out")]
)
model.compile("cpu", aidge_core.dtype.float32, dims=[[1, 4]])
for node in model.get_nodes():
    if node.type() == "Producer":
        aidge_core.constant_filler(node.get_operator().get_output(0), 0.5)
data = aidge_core.Tensor(np.array([[1, 2, 3, 4]], np.float32))
scheduler = aidge_core.SequentialScheduler(model)
scheduler.forward(data=[data])
print("outputs", np.array(model.get_node("out").get_operator().get_output(0)).tolist())
print("covered", aidge_export_cpp.has_coverage(model))
print("type", aidge_core.export_utils.aidge2c(aidge_core.dtype.float32))

config = aidge_export_cpp.ExportConfig(target="host", export_folder="program", compile=False)
print("config", config.target, config.export_folder, config.dtype)
aidge_core.export_utils.export(model, config, input_tensors=[data])
print("folder", Path("program").is_dir(), any(Path("program").rglob("*.h*")))

aidge_core.export_utils.generate_input_file("inputs", "numbers", data)
print("numbers", "numbers" in Path("inputs/numbers.h").read_text())
library = aidge_export_cpp.ExportLibCpp
print("library", issubclass(library, aidge_core.OperatorImpl), library._name)
