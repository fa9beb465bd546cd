"""Trains a layer, as a script for Aidge does."""

import aidge_core
import aidge_learning
import numpy as np

model = aidge_core.sequential([aidge_core.FC(1, 1, name="fc")])
model.compile("cpu", aidge_core.dtype.float32, dims=[[4, 1]])
for name in ("fc_w", "fc_b"):
    aidge_core.constant_filler(model.get_node(name).get_operator().get_output(0), 0.0)

optimizer = aidge_learning.SGD(momentum=0.5)
optimizer.set_learning_rate_scheduler(aidge_learning.constant_lr(0.1))
optimizer.set_parameters(list(aidge_core.producers(model)))
scheduler = aidge_core.SequentialScheduler(model)
data = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)
target = aidge_core.Tensor(2 * data + 1)
for _ in range(300):
    scheduler.forward(data=[aidge_core.Tensor(data)])
    output = model.get_node("fc").get_operator().get_output(0)
    optimizer.reset_grad()
    loss = aidge_learning.loss.MSE(output, target)
    scheduler.backward()
    optimizer.update()
found = [
    round(np.array(model.get_node(name).get_operator().get_output(0)).item(), 2)
    for name in ("fc_w", "fc_b")
]
print("learned", *found, "loss", round(float(np.array(loss).item()), 4))
