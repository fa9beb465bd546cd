"""Static scheduling: the consumer-producer model, the scheduler, and schedules as values."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # The consumer-producer model
        "model.balance": "Balance Leftover repetition_vector",
        "model.elts": "EltType Elts_t",
        "model.impl": "OperatorImpl prod_conso_of",
        "model.prod_conso": "ProdConso",
        # Schedules as values
        "schedule.nest": "Actor Firing Loop Section",
        "schedule.static_schedule": "StaticSchedule",
        "schedule.elements": "SchedulingElement StaticSchedulingElement",
        "schedule.why": "Explanation Reason Wait",
        # Schedulers
        "solve.outline": "schedule_nodes static_schedule",
        "solve.priors": "PriorProducersConsumers",
        "scheduler": "Scheduler",
        # Sequential orders, and orders that need little memory
        "order.policies": "SchedulingPolicy",
        "order.sort": "sort_firings",
        "order.order_result": "OrderResult order_for_memory",
        # Checks and traces
        "check.schedule": "check_schedule",
        "explain.rounds": "AvailableDataStatus Lack Round TraceEnd",
        "explain.trace": "trace_of",
    },
)
