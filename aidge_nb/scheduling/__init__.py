"""Static scheduling: the consumer-producer model, the scheduler, and schedules as values."""

from typing import TYPE_CHECKING

from aidge_nb.lazy import when_asked_for
from aidge_nb.scheduling.elements import SchedulingElement, StaticSchedulingElement
from aidge_nb.scheduling.elts import Elts_t, EltType
from aidge_nb.scheduling.impl import OperatorImpl, prod_conso_of
from aidge_nb.scheduling.policies import SchedulingPolicy, sort_firings
from aidge_nb.scheduling.priors import PriorProducersConsumers
from aidge_nb.scheduling.prod_conso import ProdConso
from aidge_nb.scheduling.schedule import Actor, Firing, Loop, Section, StaticSchedule
from aidge_nb.scheduling.scheduler import Scheduler, schedule_nodes, static_schedule

if TYPE_CHECKING:
    from aidge_nb.scheduling.availability import AvailableDataStatus
    from aidge_nb.scheduling.balance import Balance, Leftover, repetition_vector
    from aidge_nb.scheduling.check import check_schedule
    from aidge_nb.scheduling.explanation import Explanation, Reason, Wait
    from aidge_nb.scheduling.orders import OrderResult, order_for_memory
    from aidge_nb.scheduling.rounds import Lack, Round, TraceEnd
    from aidge_nb.scheduling.trace import trace_of

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
        "aidge_nb.scheduling.availability": ("AvailableDataStatus",),
        "aidge_nb.scheduling.balance": (
            "Balance",
            "Leftover",
            "repetition_vector",
        ),
        "aidge_nb.scheduling.check": ("check_schedule",),
        "aidge_nb.scheduling.explanation": (
            "Explanation",
            "Reason",
            "Wait",
        ),
        "aidge_nb.scheduling.orders": (
            "OrderResult",
            "order_for_memory",
        ),
        "aidge_nb.scheduling.rounds": (
            "Lack",
            "Round",
            "TraceEnd",
        ),
        "aidge_nb.scheduling.trace": ("trace_of",),
    },
)
