# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.scheduling.check.schedule import check_schedule as check_schedule
from aidge_nb.scheduling.explain.rounds import AvailableDataStatus as AvailableDataStatus
from aidge_nb.scheduling.explain.rounds import Lack as Lack
from aidge_nb.scheduling.explain.rounds import Round as Round
from aidge_nb.scheduling.explain.rounds import TraceEnd as TraceEnd
from aidge_nb.scheduling.explain.trace import trace_of as trace_of
from aidge_nb.scheduling.model.balance import Balance as Balance
from aidge_nb.scheduling.model.balance import Leftover as Leftover
from aidge_nb.scheduling.model.balance import repetition_vector as repetition_vector
from aidge_nb.scheduling.model.elts import EltType as EltType
from aidge_nb.scheduling.model.elts import Elts_t as Elts_t
from aidge_nb.scheduling.model.impl import OperatorImpl as OperatorImpl
from aidge_nb.scheduling.model.impl import prod_conso_of as prod_conso_of
from aidge_nb.scheduling.model.prod_conso import ProdConso as ProdConso
from aidge_nb.scheduling.order.order_result import OrderResult as OrderResult
from aidge_nb.scheduling.order.order_result import order_for_memory as order_for_memory
from aidge_nb.scheduling.order.policies import SchedulingPolicy as SchedulingPolicy
from aidge_nb.scheduling.order.policies import sort_firings as sort_firings
from aidge_nb.scheduling.schedule.elements import SchedulingElement as SchedulingElement
from aidge_nb.scheduling.schedule.elements import StaticSchedulingElement as StaticSchedulingElement
from aidge_nb.scheduling.schedule.nest import Actor as Actor
from aidge_nb.scheduling.schedule.nest import Firing as Firing
from aidge_nb.scheduling.schedule.nest import Loop as Loop
from aidge_nb.scheduling.schedule.nest import Section as Section
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule as StaticSchedule
from aidge_nb.scheduling.schedule.why import Explanation as Explanation
from aidge_nb.scheduling.schedule.why import Reason as Reason
from aidge_nb.scheduling.schedule.why import Wait as Wait
from aidge_nb.scheduling.scheduler import Scheduler as Scheduler
from aidge_nb.scheduling.solve.outline import schedule_nodes as schedule_nodes
from aidge_nb.scheduling.solve.outline import static_schedule as static_schedule
from aidge_nb.scheduling.solve.priors import PriorProducersConsumers as PriorProducersConsumers

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
