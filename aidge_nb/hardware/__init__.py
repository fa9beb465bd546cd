"""Map networks onto processing elements and memories described in a file."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Targets
        "targets.target": "Target",
        "targets.parts": "Cooperation Element Link OperatorCost TargetMemory",
        "targets.describe": "as_target read_target",
        "targets.ready": "TARGETS target",
        "targets.constraints": "Constraints as_constraints check_support read_constraints",
        # Mappings, as values
        "mapping": "Mapping MappingBound binding bounds critical_path",
        "steps": "Function MappingStep Placed TargetMemoryUse Work",
        # Making them
        "map.map_schedule": "map_schedule",
        "map.map_tiles": "map_tiles",
        "map.adapted": "AdaptedGraph adapt",
        "map.options": "Option",
        "map.schedulers": "SCHEDULERS mapping_scheduler",
        "map.state": "MappingState",
        "map.sweeps": "STRATEGIES Sweep SweepRow sweep",
        "map.machine": "Roofline roofline",
        # Checking and running them
        "check.mapping": "check_mapping",
        "run.run": "MappedRun MeasuredStep run_mapping",
    },
)
