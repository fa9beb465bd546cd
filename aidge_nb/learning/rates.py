"""Change the learning rate from step to step."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi

from aidge_nb.learning.given import count_of, number_of


class LRScheduler:
    """Count the steps of an optimizer, and compute the learning rate of the present one.

    Parameters
    ----------
    initial_lr
        The learning rate at the start.
    decay
        Factor of the rate at step 0, 1, 2, and so on.
    """

    def __init__(self, initial_lr: float, decay: Callable[[int], float]) -> None:
        self._initial = number_of("initial_lr", initial_lr, "above 0", lambda rate: rate > 0)
        self._decay = decay
        self._warmup = 0
        self._step = 0

    def step(self) -> int:
        """Return the number of steps so far."""
        return self._step

    def learning_rate(self) -> float:
        """Return the rate of the present step."""
        return self._at(self._step)

    def update(self) -> None:
        """Go to the next step."""
        self._step += 1

    def set_nb_warmup_steps(self, count: int) -> None:
        """Let the rate first rise to the initial one in equal steps."""
        self._warmup = count_of("set_nb_warmup_steps", count, 0)

    def lr_profile(self, nb_steps: int) -> list[float]:
        """List the rates of the first steps."""
        return [self._at(step) for step in range(count_of("lr_profile", nb_steps, 0))]

    def _at(self, step: int) -> float:
        if step < self._warmup:
            return self._initial * (step + 1) / (self._warmup + 1)
        return self._initial * self._decay(step - self._warmup)


def constant_lr(initial_lr: float) -> LRScheduler:
    """Make a constant rate."""
    return LRScheduler(initial_lr, lambda step: 1.0)


def step_lr(initial_lr: float, step_size: int, gamma: float = 0.1) -> LRScheduler:
    """Make a rate that is multiplied by ``gamma`` every ``step_size`` steps.

    Examples
    --------
    >>> step_lr(1.0, 2, 0.5).lr_profile(5)
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """
    size, factor = count_of("step_lr, step_size", step_size), _not_below_0("step_lr, gamma", gamma)
    return LRScheduler(initial_lr, lambda step: factor ** (step // size))


def cosine_lr(initial_lr: float, max_steps: int, min_decay: float = 0.0) -> LRScheduler:
    """Make a rate that falls along half a cosine wave to ``min_decay`` times itself.

    Examples
    --------
    >>> [round(rate, 6) for rate in cosine_lr(1.0, 4).lr_profile(6)]
    [1.0, 0.853553, 0.5, 0.146447, 0.0, 0.0]
    """
    end = count_of("cosine_lr, max_steps", max_steps)
    low = _not_below_0("cosine_lr, min_decay", min_decay)
    return LRScheduler(
        initial_lr, lambda step: low + (1 - low) * (1 + cos(pi * min(step, end) / end)) / 2
    )


def poly_lr(initial_lr: float, max_steps: int, power: float = 1.0) -> LRScheduler:
    """Make a rate that falls to 0 as a power of the remaining steps.

    Examples
    --------
    >>> poly_lr(1.0, 4, 2.0).lr_profile(6)
    [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]
    """
    end = count_of("poly_lr, max_steps", max_steps)
    exponent = _not_below_0("poly_lr, power", power)
    return LRScheduler(initial_lr, lambda step: (1 - min(step, end) / end) ** exponent)


def _not_below_0(where: str, value: float) -> float:
    return number_of(where, value, "0 or more", lambda given: given >= 0)
