"""Send the front-end as a model of its own, so that it is saved once and not for each view.

It travels compressed, so that a notebook which keeps it is small. A view sends a few lines of
JavaScript that get this model from the widget manager and import its source; views of one page
share the module.
"""

from __future__ import annotations

import base64
import gzip
import hashlib

import ipywidgets
import traitlets

from aidge_nb.widgets.still.html import BUNDLE

LOADER = """\
const loaded = (globalThis.aidgeNbModules ??= new Map());
async function start(packed) {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const type = { type: "text/javascript" };
  const url = URL.createObjectURL(new Blob([await new Response(whole).blob()], type));
  return import(url).finally(() => URL.revokeObjectURL(url));
}
async function load(model) {
  const id = model.get("_front").replace("IPY_MODEL_", "");
  const front = await model.widget_manager.get_model(id);
  const digest = front.get("digest");
  if (!loaded.has(digest)) {
    loaded.set(digest, start(front.get("source")));
  }
  return loaded.get(digest);
}
export default {
  async render(context) {
    return (await load(context.model)).default.render(context);
  },
};
"""


class FrontEnd(ipywidgets.Widget):  # type: ignore[misc]  # ipywidgets ships no types
    """The bundle of the views. Made by :func:`front_end`."""

    source = traitlets.Unicode().tag(sync=True)  # base64: saved state of such models has no bytes
    digest = traitlets.Unicode().tag(sync=True)

    def __init__(self) -> None:
        source = BUNDLE.read_bytes()
        digest = hashlib.sha256(source).hexdigest()[:16]
        packed = base64.b64encode(gzip.compress(source, mtime=0)).decode()
        super().__init__(source=packed, digest=digest)

    def __repr__(self) -> str:
        return f"FrontEnd({len(self.source)} characters)"


_known: list[FrontEnd] = []


def front_end() -> FrontEnd:
    """Return the front-end of this kernel; make one when there is none, or it was closed."""
    if not _known or _known[0].comm is None:
        _known[:] = [FrontEnd()]
    return _known[0]
