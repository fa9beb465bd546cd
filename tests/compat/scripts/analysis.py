"""Counts what a small network does and holds."""

from pathlib import Path

import aidge_backend_cpu  # noqa: F401
import aidge_core

aidge_core.Log.set_console_level(aidge_core.Level.Error)

model = aidge_core.sequential(
    [
        aidge_core.Conv2D(1, 4, [3, 3], name="conv"),
        aidge_core.ReLU(name="relu"),
        aidge_core.MaxPooling2D([2, 2], stride_dims=[2, 2], name="pool"),
        aidge_core.Flatten(name="flatten"),
        aidge_core.FC(36, 10, name="fc"),
    ]
)
model.set_ordered_outputs([(model.get_node("fc"), 0)])
model.compile("cpu", aidge_core.dtype.float32, dims=[[1, 1, 8, 8]])

stats = aidge_core.StaticAnalysis(model)
print("macs", stats.get_nb_mac_ops())
for name in ("conv", "relu", "fc"):
    node = model.get_node(name)
    found = aidge_core.OperatorStats.get_op_stats(node)
    print(name, "macs", found.get_nb_mac_ops(), "comparisons", found.get_nb_comp_ops())
    print(name, "parameters", stats.get_nb_params(node), "bits", stats.get_params_size(node))
    print(name, "floating-point", found.get_nb_arithm_fp_ops(), found.get_nb_arithm_int_ops())
print("parameters", sum(stats.get_nb_params(node) for node in model.get_nodes()))

names = model.get_ranked_nodes_name("{0} ({1}#{3})")
shapes = {names[node]: node.get_operator().get_output(0).dims for node in model.get_nodes()}
for name in sorted(shapes):
    print(name, list(shapes[name]))
nodes, unique = model.get_ranked_nodes()
print("ranked", len(nodes), unique)

scheduler = aidge_core.SequentialScheduler(model)
scheduler.generate_scheduling()
default, _ = aidge_core.mem_info.compute_default_mem_info(scheduler)
print("elements without reuse", default)
manager = scheduler.generate_memory()
print("peak", manager.get_peak_usage())
aidge_core.mem_info.log_meminfo_text(manager, "memory.txt")
print("logged", "conv:" in Path("memory.txt").read_text())
