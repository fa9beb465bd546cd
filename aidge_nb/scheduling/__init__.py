"""Static scheduling: the consumer-producer model, the scheduler, and schedules as values."""

from typing import TYPE_CHECKING

from aidge_nb.core.lazy import when_asked_for
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.impl import OperatorImpl, prod_conso_of
from aidge_nb.scheduling.model.prod_conso import ProdConso
from aidge_nb.scheduling.order.policies import SchedulingPolicy, sort_firings
from aidge_nb.scheduling.schedule.elements import SchedulingElement, StaticSchedulingElement
from aidge_nb.scheduling.schedule.value import Actor, Firing, Loop, Section, StaticSchedule
from aidge_nb.scheduling.scheduler import Scheduler, schedule_nodes, static_schedule
from aidge_nb.scheduling.solve.priors import PriorProducersConsumers

if TYPE_CHECKING:
    from aidge_nb.scheduling.check.schedule import check_schedule
    from aidge_nb.scheduling.explain.explanation import Explanation, Reason, Wait
    from aidge_nb.scheduling.explain.rounds import Lack, Round, TraceEnd
    from aidge_nb.scheduling.explain.trace import trace_of
    from aidge_nb.scheduling.model.availability import AvailableDataStatus
    from aidge_nb.scheduling.model.balance import Balance, Leftover, repetition_vector
    from aidge_nb.scheduling.order.order_result import OrderResult, order_for_memory

__all__ = [
    # The consumer-producer model
    "EltType",
    "Elts_t",
    "OperatorImpl",
    "ProdConso",
    "prod_conso_of",
    # Schedulers
    "AvailableDataStatus",
    "PriorProducersConsumers",
    "Scheduler",
    "SchedulingElement",
    "SchedulingPolicy",
    "StaticSchedulingElement",
    # Schedules as values
    "Actor",
    "Balance",
    "Explanation",
    "Firing",
    "Lack",
    "Leftover",
    "Loop",
    "Reason",
    "Round",
    "Section",
    "StaticSchedule",
    "TraceEnd",
    "Wait",
    "check_schedule",
    "repetition_vector",
    "schedule_nodes",
    "sort_firings",
    "static_schedule",
    "trace_of",
    # Orders of least memory
    "OrderResult",
    "order_for_memory",
]

__getattr__, __dir__ = when_asked_for(
    __name__,
    {
        "aidge_nb.scheduling.model.availability": ("AvailableDataStatus",),
        "aidge_nb.scheduling.model.balance": (
            "Balance",
            "Leftover",
            "repetition_vector",
        ),
        "aidge_nb.scheduling.check.schedule": ("check_schedule",),
        "aidge_nb.scheduling.explain.explanation": (
            "Explanation",
            "Reason",
            "Wait",
        ),
        "aidge_nb.scheduling.order.order_result": (
            "OrderResult",
            "order_for_memory",
        ),
        "aidge_nb.scheduling.explain.rounds": (
            "Lack",
            "Round",
            "TraceEnd",
        ),
        "aidge_nb.scheduling.explain.trace": ("trace_of",),
    },
)
