"""Trains a layer, then a small network on batches of a database, as scripts for Aidge do."""

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


class Points(aidge_core.Database):
    """Points left and right of a line, with the side of each."""

    def __init__(self):
        """Spread them evenly."""
        aidge_core.Database.__init__(self)
        turns = np.arange(24, dtype=np.float32) * np.float32(0.7)
        self.points = np.stack([np.cos(turns), np.sin(3 * turns)], 1).astype(np.float32)
        self.sides = (self.points[:, 0] > self.points[:, 1]).astype(np.int32)

    def get_item(self, index):
        """Return a point and its side."""
        wanted = np.eye(2, dtype=np.float32)[self.sides[index]]
        return [aidge_core.Tensor(self.points[index]), aidge_core.Tensor(wanted)]

    def len(self):
        """Count the points."""
        return len(self.points)

    def get_nb_modalities(self):
        """Count what a point has."""
        return 2


provider = aidge_core.DataProvider(Points(), batch_size=6, shuffle=False, drop_last=False)
network = aidge_core.sequential(
    [
        aidge_core.FC(2, 4, name="hidden"),
        aidge_core.Tanh(name="tanh"),
        aidge_core.FC(4, 2, name="sides"),
        aidge_core.Sigmoid(name="certain"),
    ]
)
network.compile("cpu", aidge_core.dtype.float32, dims=[[6, 2]])
for number, name in enumerate(("hidden_w", "hidden_b", "sides_w", "sides_b")):
    tensor = network.get_node(name).get_operator().get_output(0)
    values = np.sin(np.arange(tensor.size) + number).reshape(tensor.dims)
    network.get_node(name).get_operator().set_output(
        0, aidge_core.Tensor(values.astype(np.float32))
    )
adam = aidge_learning.Adam()
adam.set_learning_rate_scheduler(aidge_learning.step_lr(0.05, 40, 0.5))
adam.set_parameters(list(aidge_core.producers(network)))
runner = aidge_core.SequentialScheduler(network)
for epoch in range(25):
    total = 0.0
    right = 0
    for point, wanted in provider:
        runner.forward(data=[point])
        given = network.get_node("certain").get_operator().get_output(0)
        adam.reset_grad()
        total += float(np.array(aidge_learning.loss.BCE(given, wanted)).item())
        right += int((np.array(given).argmax(1) == np.array(wanted).argmax(1)).sum())
        runner.backward()
        adam.update()
    if epoch % 6 == 0:
        rate = round(adam.learning_rate(), 5)
        print("epoch", epoch, "loss", round(total, 3), "right", right, "rate", rate)
