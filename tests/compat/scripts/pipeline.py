"""The calls of the tutorial on scheduling (seed 000): a line-by-line pipeline, and an LSTM."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import tuto_utils

core = aidge_core
Category = core.InputCategory
PORTS = [Category.Data, Category.OptionalParam, Category.OptionalParam]

lstm = core.LSTM(in_channels=4, hidden_channels=8, seq_length=5)
cell = core.get_connected_graph_view(lstm)
core.expand_metaops(cell)
cell.set_backend("cpu")
cell.save("lstm_graph")
tuto_utils.visualize_mmd("lstm_graph.mmd")
scheduler = core.SequentialScheduler(cell)
scheduler.generate_scheduling()
scheduler.save_static_scheduling_diagram("lstm_scheduling")
tuto_utils.visualize_mmd("lstm_scheduling.mmd")
print("lstm", len(scheduler.get_static_scheduling()))

model = core.sequential(
    [
        core.Producer([1, 3, 16, 16], name="dataProvider"),
        *(core.GenericOperator("Conv2D_DF", PORTS, 1, name=f"conv{i}") for i in (1, 2, 3)),
    ]
)


class LineByLine(core.ProdConso):
    """Waits for three lines, then for one at a time."""

    def __init__(self, op):
        """Start at the first line."""
        core.ProdConso.__init__(self, op, False)
        self.begins = True

    def get_nb_required_data(self, input_idx):
        """Require lines of the data input."""
        tensor = self.get_operator().get_input(input_idx)
        if not tensor:
            return core.Elts_t.none_elts()
        return core.Elts_t.data_elts((3 if self.begins else 1) * tensor.dims()[2])

    def get_required_memory(self, output_idx, inputs_size):
        """Give one line."""
        self.begins = False
        return core.Elts_t.data_elts(self.get_operator().get_output(output_idx).dims()[2])


class LineImpl(core.OperatorImpl):
    """Has a C-P model and nothing else."""

    def __init__(self, op):
        """Belong to the backend of the graph."""
        core.OperatorImpl.__init__(self, op, "cpu")

    def get_prod_conso(self):
        """Give the C-P model."""
        return LineByLine(self.get_operator())


for node in model.get_nodes():
    if node.type() == "Conv2D_DF":
        node.get_operator().set_impl(LineImpl(node.get_operator()))
        node.get_operator().set_forward_dims(lambda x: [x[0]])
model.forward_dims()
scheduler = core.SequentialScheduler(model)
scheduler.generate_scheduling()
scheduler.save_factorized_static_scheduling_diagram("scheduling")
tuto_utils.visualize_mmd("scheduling.mmd")
print("pipeline", len(scheduler.get_static_scheduling()))
