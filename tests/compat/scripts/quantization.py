"""Quantizes a small network to 8 bits, as a script for Aidge does."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import aidge_quantization
import numpy as np

aidge_core.Log.set_console_level(aidge_core.Level.Fatal)


def build():
    """Make a network whose parameters are waves."""
    model = aidge_core.sequential(
        [
            aidge_core.Conv2D(1, 4, [3, 3], name="conv"),
            aidge_core.ReLU(name="relu"),
            aidge_core.MaxPooling2D([2, 2], stride_dims=[2, 2], name="pool"),
            aidge_core.Flatten(1, name="flat"),
            aidge_core.FC(36, 3, name="fc"),
            aidge_core.Softmax(1, name="softmax"),
        ]
    )
    model.compile("cpu", aidge_core.dtype.float32, dims=[[1, 1, 8, 8]])
    for number, name in enumerate(("conv_w", "conv_b", "fc_w", "fc_b")):
        operator = model.get_node(name).get_operator()
        dims = operator.get_output(0).dims
        values = np.sin(np.arange(np.prod(dims)) * 0.7 + number).reshape(dims)
        operator.set_output(0, aidge_core.Tensor(values.astype(np.float32)))
    return model


def run(model, samples):
    """Return the output for each sample."""
    scheduler = aidge_core.SequentialScheduler(model)
    return np.array([np.array(scheduler.forward(data=[each])[0])[0] for each in samples])


images = np.random.default_rng(3).random((24, 1, 1, 8, 8)).astype(np.float32)
samples = [aidge_core.Tensor(each) for each in images]
model = build()
aidge_quantization.quantizability_report(aidge_core.sequential([aidge_core.ReLU()]))
aidge_quantization.pop_softmax(model)
print("outputs", [node.name() for node in model.get_output_nodes()])
wanted = run(model, samples)
print("can be quantized", aidge_quantization.check_architecture(model))
try:
    aidge_quantization.check_precision_tag(model)
except RuntimeError:
    print("precisions are missing")
aidge_quantization.auto_assign_node_precision(
    model, aidge_core.dtype.int8, aidge_core.dtype.int8, aidge_core.dtype.int32
)
aidge_quantization.check_precision_tag(model)
for clipping, channel_wise in (("MAX", False), ("MAX", True), ("MSE", False)):
    model = build()
    aidge_quantization.pop_softmax(model)
    aidge_quantization.auto_assign_node_precision(
        model, aidge_core.dtype.int8, aidge_core.dtype.int8, aidge_core.dtype.int32
    )
    aidge_quantization.quantize_network(
        model,
        samples,
        clipping_mode=getattr(aidge_quantization.Clipping, clipping),
        rescale_inputs=True,
        channel_wise=channel_wise,
        dequantize=True,
    )
    given = run(model, samples)
    error = np.abs(given - wanted).max() / np.abs(wanted).max()
    same = (given.argmax(1) == wanted.argmax(1)).mean()
    print(clipping, channel_wise, "near", bool(error < 0.05), "same class", bool(same > 0.9))
