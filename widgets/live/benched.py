"""What stands around a view, and is shown as the view is: with its forms, its picture, its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aidge_nb.widgets.live.forms import Forms
from aidge_nb.widgets.live.strict import Strict
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.mime import images, live_bundle, summary

if TYPE_CHECKING:
    from aidge_nb.widgets.live.workbench import Workbench


class Benched(Strict, Forms):
    """A widget around a view: a mixin, to stand before the class of the widget."""

    bench: Workbench
    _model_id: str

    @property
    def scene(self) -> Scene:
        """What the view shows."""
        return self.bench.scene

    @property
    def _opened(self) -> dict[str, Any]:
        return self.bench._opened

    def _meant(self, name: str) -> str:
        if hasattr(type(self.bench), name):
            return f"The view has it: .bench.{name}."
        return super()._meant(name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({summary(self.scene)})"

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> dict[str, Any]:
        """Give the widget, which notebooks prefer, and a picture where it cannot run."""
        return live_bundle(self._model_id, repr(self), images(self.scene, self.bench.panels))
