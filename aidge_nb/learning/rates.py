"""Learning rates that change from step to step."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi

from aidge_nb.errors import AidgeError, explain

__all__ = ["LRScheduler", "constant_lr", "cosine_lr", "poly_lr", "step_lr"]


class LRScheduler:
    """Counts the steps of an optimizer, and gives the learning rate of the present one.

    Parameters
    ----------
    initial_lr
        The learning rate to begin with.
    decay
        What it is multiplied by at step 0, 1, 2 …
    """

    def __init__(self, initial_lr: float, decay: Callable[[int], float]) -> None:
        if not initial_lr > 0:
            raise AidgeError(
                explain("initial_lr", "no rate to learn at", expected="above 0", found=initial_lr)
            )
        self._initial = float(initial_lr)
        self._decay = decay
        self._warmup = 0
        self._step = 0

    def step(self) -> int:
        """Give the number of steps so far."""
        return self._step

    def learning_rate(self) -> float:
        """Give the rate of the present step."""
        return self._at(self._step)

    def update(self) -> None:
        """Go to the next step."""
        self._step += 1

    def set_nb_warmup_steps(self, count: int) -> None:
        """Let the rate rise in equal steps to the initial one first, before it changes."""
        if count < 0 or int(count) != count:
            raise AidgeError(
                explain("set_nb_warmup_steps", "is no count", expected="0 or more", found=count)
            )
        self._warmup = int(count)

    def lr_profile(self, nb_steps: int) -> list[float]:
        """List the rates of the first steps."""
        return [self._at(step) for step in range(nb_steps)]

    def _at(self, step: int) -> float:
        if step < self._warmup:
            return self._initial * (step + 1) / (self._warmup + 1)
        return self._initial * self._decay(step - self._warmup)


def constant_lr(initial_lr: float) -> LRScheduler:
    """Make a rate that stays as it is."""
    return LRScheduler(initial_lr, lambda step: 1.0)


def step_lr(initial_lr: float, step_size: int, gamma: float = 0.1) -> LRScheduler:
    """Make a rate that is multiplied by ``gamma`` every ``step_size`` steps.

    Examples
    --------
    >>> step_lr(1.0, 2, 0.5).lr_profile(5)
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """
    size = _count("step_lr, step_size", step_size)
    return LRScheduler(initial_lr, lambda step: float(gamma) ** (step // size))


def cosine_lr(initial_lr: float, max_steps: int, min_decay: float = 0.0) -> LRScheduler:
    """Make a rate that falls along half a wave to ``min_decay`` times itself, and stays there.

    Examples
    --------
    >>> [round(rate, 6) for rate in cosine_lr(1.0, 4).lr_profile(6)]
    [1.0, 0.853553, 0.5, 0.146447, 0.0, 0.0]
    """
    end = _count("cosine_lr, max_steps", max_steps)
    low = float(min_decay)
    return LRScheduler(
        initial_lr, lambda step: low + (1 - low) * (1 + cos(pi * min(step, end) / end)) / 2
    )


def poly_lr(initial_lr: float, max_steps: int, power: float = 1.0) -> LRScheduler:
    """Make a rate that falls to 0 as a power of the steps that are left.

    Examples
    --------
    >>> poly_lr(1.0, 4, 2.0).lr_profile(6)
    [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]
    """
    end = _count("poly_lr, max_steps", max_steps)
    return LRScheduler(initial_lr, lambda step: (1 - min(step, end) / end) ** float(power))


def _count(where: str, value: int) -> int:
    if value < 1 or int(value) != value:
        raise AidgeError(explain(where, "is no count", expected="1 or more", found=value))
    return int(value)
