"""Reads batches from a database of one's own, and classifies them."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import numpy as np

aidge_core.Log.set_console_level(aidge_core.Level.Error)


class Points(aidge_core.Database):
    """Points of a plane; their class tells whether x is greater than y."""

    def __init__(self, count):
        """Place the points on a spiral."""
        aidge_core.Database.__init__(self)
        angle = np.arange(count) * 0.7
        self.points = np.stack([angle * np.cos(angle), angle * np.sin(angle)], 1)

    def get_item(self, index):
        """Give a point and its class."""
        point = self.points[index].astype(np.float32)
        label = np.array([point[0] > point[1]], np.int32)
        return [aidge_core.Tensor(point), aidge_core.Tensor(label)]

    def len(self):
        """Count the points."""
        return len(self.points)

    def get_nb_modalities(self):
        """Give point and class."""
        return 2


database = Points(11)
provider = aidge_core.DataProvider(database, batch_size=4, shuffle=False, drop_last=False)
print("batches", len(provider), "of", provider.batch_size())

model = aidge_core.sequential([aidge_core.FC(2, 2, name="fc"), aidge_core.ReLU(name="relu")])
weight = aidge_core.Tensor(np.array([[1, -1], [-1, 1]], np.float32))
model.get_node("fc").get_operator().set_input(1, weight)
model.get_node("fc").get_operator().set_input(2, aidge_core.Tensor(np.zeros(2, np.float32)))
model.set_backend("cpu")
model.set_datatype(aidge_core.dtype.float32)
scheduler = aidge_core.SequentialScheduler(model)

right = seen = 0
for points, labels in provider:
    print("batch", list(points.dims), list(labels.dims))
    scheduler.forward(True, [points])
    scores = np.array(model.get_node("relu").get_operator().get_output(0))
    found = scores[:, 0] > scores[:, 1]
    right += int((found == np.array(labels).reshape(-1)).sum())
    seen += points.dims[0]
    model.get_node("fc").get_operator().reset_input(0)
print("right", right, "of", seen)

exact = aidge_core.DataProvider(database, 4, drop_last=True)
print("without the last", [list(points.dims) for points, _ in exact])
