# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.scheduling.check.schedule import check_schedule
from aidge_nb.scheduling.explain.rounds import AvailableDataStatus
from aidge_nb.scheduling.explain.rounds import Lack
from aidge_nb.scheduling.explain.rounds import Round
from aidge_nb.scheduling.explain.rounds import TraceEnd
from aidge_nb.scheduling.explain.trace import trace_of
from aidge_nb.scheduling.model.balance import Balance
from aidge_nb.scheduling.model.balance import Leftover
from aidge_nb.scheduling.model.balance import repetition_vector
from aidge_nb.scheduling.model.elts import EltType
from aidge_nb.scheduling.model.elts import Elts_t
from aidge_nb.scheduling.model.impl import OperatorImpl
from aidge_nb.scheduling.model.impl import prod_conso_of
from aidge_nb.scheduling.model.prod_conso import ProdConso
from aidge_nb.scheduling.order.order_result import OrderResult
from aidge_nb.scheduling.order.order_result import order_for_memory
from aidge_nb.scheduling.order.policies import SchedulingPolicy
from aidge_nb.scheduling.order.sort import sort_firings
from aidge_nb.scheduling.schedule.elements import SchedulingElement
from aidge_nb.scheduling.schedule.elements import StaticSchedulingElement
from aidge_nb.scheduling.schedule.nest import Actor
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.scheduling.schedule.nest import Loop
from aidge_nb.scheduling.schedule.nest import Section
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.scheduling.schedule.why import Explanation
from aidge_nb.scheduling.schedule.why import Reason
from aidge_nb.scheduling.schedule.why import Wait
from aidge_nb.scheduling.scheduler import Scheduler
from aidge_nb.scheduling.solve.outline import schedule_nodes
from aidge_nb.scheduling.solve.outline import static_schedule
from aidge_nb.scheduling.solve.priors import PriorProducersConsumers

__all__ = [
    "Balance",
    "Leftover",
    "repetition_vector",
    "EltType",
    "Elts_t",
    "OperatorImpl",
    "prod_conso_of",
    "ProdConso",
    "Actor",
    "Firing",
    "Loop",
    "Section",
    "StaticSchedule",
    "SchedulingElement",
    "StaticSchedulingElement",
    "Explanation",
    "Reason",
    "Wait",
    "schedule_nodes",
    "static_schedule",
    "PriorProducersConsumers",
    "Scheduler",
    "SchedulingPolicy",
    "sort_firings",
    "OrderResult",
    "order_for_memory",
    "check_schedule",
    "AvailableDataStatus",
    "Lack",
    "Round",
    "TraceEnd",
    "trace_of",
]
