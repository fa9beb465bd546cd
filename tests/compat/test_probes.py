"""Real Aidge was asked small questions; the answers here are the same, or differ for a reason."""

import pytest

from aidge_nb.compat.probes import DIFFERENT, answers_here, probes

ASKED = probes()


@pytest.fixture(scope="module")
def answers() -> list[object]:
    return answers_here(ASKED)


def test_there_are_enough_of_them() -> None:
    assert len(ASKED) >= 300
    assert len({probe.code for probe in ASKED}) == len(ASKED)
    assert all(probe.area for probe in ASKED)


def test_answers_are_the_same_or_differ_for_a_reason(answers: list[object]) -> None:
    pairs = zip(ASKED, answers, strict=True)
    wrong = [(p.code, p.answer, a) for p, a in pairs if not p.agrees(a) and not p.difference]
    assert wrong == []


def test_every_reason_is_needed(answers: list[object]) -> None:
    other = [p.code for p, a in zip(ASKED, answers, strict=True) if not p.agrees(a)]
    unused = [begin for begin in DIFFERENT if not any(code.startswith(begin) for code in other)]
    assert unused == []
    assert len(other) <= len(ASKED) / 10


def test_probes_leave_nothing_behind() -> None:
    import aidge_nb

    graph = aidge_nb.sequential([aidge_nb.Tanh(name="tanh")])
    graph.compile(dims=[[1, 2]])
    (output,) = aidge_nb.SequentialScheduler(graph).forward(data=[aidge_nb.Tensor([[0.0, 0.0]])])
    assert output.array.tolist() == [[0.0, 0.0]]
