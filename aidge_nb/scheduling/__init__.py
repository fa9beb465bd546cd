"""Static scheduling: the consumer-producer model, the scheduler, and schedules as values."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # The consumer-producer model
        "model.availability": "AvailableDataStatus",
        "model.balance": "Balance Leftover repetition_vector",
        "model.elts": "EltType Elts_t",
        "model.impl": "OperatorImpl prod_conso_of",
        "model.prod_conso": "ProdConso",
        # Schedulers
        "scheduler": "Scheduler schedule_nodes static_schedule",
        "order.policies": "SchedulingPolicy sort_firings",
        "schedule.elements": "SchedulingElement StaticSchedulingElement",
        "solve.priors": "PriorProducersConsumers",
        # Schedules as values
        "schedule.value": "Actor Firing Loop Section StaticSchedule",
        "check.schedule": "check_schedule",
        "explain.explanation": "Explanation Reason Wait",
        "explain.rounds": "Lack Round TraceEnd",
        "explain.trace": "trace_of",
        # Orders that need little memory
        "order.order_result": "OrderResult order_for_memory",
    },
)
