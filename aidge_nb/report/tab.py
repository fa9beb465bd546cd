"""Study a model inside a browser tab: what the page "Drop your network here" asks of Python.

The page runs this in a worker and knows nothing of the library. It sends files, settings and names
of what to save, and gets values that can be sent: JSON texts and bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import traceback
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from aidge_nb.advice import ChangeFinding
from aidge_nb.core.errors import AidgeError, OnnxError, listed
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import MemoryPlan
from aidge_nb.report.model import Report, advised, study
from aidge_nb.report.peak_tiles import PeakTiles, TileWish
from aidge_nb.report.readers import suffixes
from aidge_nb.report.source import load_source
from aidge_nb.widgets import to_svg
from aidge_nb.widgets.exploration import Exploration, Settings, controls_for
from aidge_nb.widgets.text import size_text
from aidge_nb.widgets.wire.payload import compress

ADVICE_SECONDS = 10.0
"""How long a reader waits for a search for more changes, looked at between two plans."""


class Tab:
    """One page, and the network that it shows.

    Examples
    --------
    >>> tab = Tab()
    >>> told, packed = tab.open_zoo("lenet")
    >>> json.loads(told)["findings"][0]
    'PEAK: 23 KiB while pool1 runs (tick 2): relu1 18.4 KiB, pool1 4.59 KiB'
    >>> told, packed = tab.plan('{"in_place": false}')
    >>> json.loads(told)["verdict"]
    'peak 36.8 KiB, +60.0 % against the plan at first (23 KiB)'
    >>> tab.save("plan")[0]
    'lenet_plan.csv'
    """

    def __init__(self) -> None:
        self._report: Report | None = None
        self._graph: GraphView | None = None
        self._exploration: Exploration | None = None
        self._tiles: PeakTiles | None = None

    def open(self, files: Mapping[str, bytes]) -> tuple[str, bytes]:
        """Study a model that comes as files: the model, and its external data beside it.

        Returns
        -------
        tuple
            A JSON text (title, findings, notes and controls) and the packed data of the view.

        Raises
        ------
        AidgeError
            When no file is a model, several are, or the model cannot be read.
        """
        models = [name for name in files if Path(name).suffix.lower() in suffixes()]
        if len(models) != 1 and len(files) != 1:
            raise OnnxError.at(
                "files",
                "one of them must be a model, and the others its external data",
                expected=f"one file that ends in {listed(suffixes(), ' or ')}",
                found=listed(sorted(files), most=5),
            )
        name = models[0] if models else next(iter(files))
        folder = Path(mkdtemp())
        try:
            for each, content in files.items():
                (folder / Path(each).name).write_bytes(content)
            return self._study(str(folder / Path(name).name))
        except AidgeError as error:  # the reader knows the file by its own name
            raise type(error)(str(error).replace(f"{folder}{os.sep}", "")) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def open_zoo(self, name: str) -> tuple[str, bytes]:
        """Study a model of the zoo; what it returns is as of :meth:`open`."""
        return self._study(f"zoo:{name}")

    def _study(self, source: str) -> tuple[str, bytes]:
        loaded = load_source(source, {}, {}, {}, open_dims=True)
        report = study(loaded, open_dims=True)
        self._report, self._graph, self._exploration, self._tiles = report, loaded.view, None, None
        return self._told(report, _summary(report))

    def _told(self, report: Report, summary: str) -> tuple[str, bytes]:
        scene, plan = report.scene(), report.plan
        told = {
            "title": report.title,
            "summary": summary,
            "findings": report.conclusions(),
            "notes": report.notes,
            "controls": [] if plan is None else [asdict(each) for each in controls_for(plan)],
        }
        return json.dumps(told), compress(*scene.payload())

    def plan(self, settings: str) -> tuple[str, bytes]:
        """Plan anew with other settings, a JSON object of those of an explorer.

        Returns
        -------
        tuple
            A JSON text (the verdict) and the packed data of the view.

        Raises
        ------
        AidgeError
            When nothing is open, or the settings are not possible.
        """
        if self._exploration is None:
            self._exploration = Exploration(self._opened()[1], self._opened()[0].title)
        wanted = Settings(**json.loads(settings))
        scene = self._exploration.planned(wanted)
        verdict = self._exploration.verdict(scene, wanted)
        return json.dumps({"verdict": verdict}), compress(*scene.payload())

    def advise(self, settings: str) -> tuple[str, bytes]:
        """Search for more changes that lower the peak, or fit the budget of the settings.

        Returns
        -------
        tuple
            As of :meth:`open`.

        Raises
        ------
        AidgeError
            When nothing is open, or it has no memory plan.
        """
        report, graph = self._opened()
        _plan_of(report)
        budget = json.loads(settings).get("budget") or None
        self._report = advised(report, graph, budget, ADVICE_SECONDS)
        return self._told(self._report, _best_change(self._report))

    def tile(self, settings: str) -> tuple[str, bytes]:
        """Cut the layers at the peak into tiles; by default so that they need least.

        Returns
        -------
        tuple
            A JSON text (summary and controls) and the packed data of the view.

        Raises
        ------
        AidgeError
            When nothing is open, it has no memory plan, or cutting does not help or cannot be.
        """
        report, graph = self._opened()
        tiles = self._tiles = self._tiles or PeakTiles(graph, _plan_of(report).peak)
        wish = TileWish(**json.loads(settings)) if settings else tiles.first
        scene = tiles.drawn(wish)
        words = tiles.words if wish == tiles.first else f"{scene.title}; searched: {tiles.words}"
        told = {"summary": words, "controls": [asdict(each) for each in tiles.controls()]}
        return json.dumps(told), compress(*scene.payload())

    def save(self, kind: str) -> tuple[str, bytes]:
        """Return the name and the content of a file to save.

        Parameters
        ----------
        kind
            ``report``, ``picture``, ``plan``, ``schedule`` or ``c``.

        Raises
        ------
        AidgeError
            When nothing is open, or there is no such file of this network.
        """
        makers: dict[str, tuple[str, Callable[[Report, GraphView], bytes]]] = {
            "report": ("_report.html", lambda report, _: report.to_html().encode()),
            "picture": (".svg", lambda report, _: to_svg(report.scene(), "overview").encode()),
            "plan": ("_plan.csv", _plan),
            "schedule": ("_schedule.csv", _schedule),
            "c": ("_c.zip", _package),
        }
        if kind not in makers:
            expected, found = ", ".join(makers), repr(kind)
            raise AidgeError.at("save", "there is no such file", expected=expected, found=found)
        report, graph = self._opened()
        ending, make = makers[kind]
        return report.title + ending, make(report, graph)

    def _opened(self) -> tuple[Report, GraphView]:
        if self._report is None or self._graph is None:
            raise AidgeError.at("page", "no network is open", cure="Drop a file first.")
        return self._report, self._graph


def _summary(report: Report) -> str:
    parts = [_many(len(report.graph.nodes), "operator")]
    if report.schedule is not None:
        parts.append(_many(report.schedule.n_steps, "step"))
    if report.plan is not None:
        parts.append(f"peak {size_text(report.plan.peak)}")
    return f"{report.title}: {', '.join(parts)}"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _best_change(report: Report) -> str:
    """Say what a search found: the first change, as its card does."""
    first = next(
        (place for place, each in enumerate(report.findings) if isinstance(each, ChangeFinding)), -1
    )
    said = report.conclusions()[first] if first >= 0 else "no change was found that lowers the peak"
    return f"{report.title}: {said}"


def _plan_of(report: Report) -> MemoryPlan:
    if report.plan is None:
        raise AidgeError.at(report.title, "there is no memory layout", cure="See the notes.")
    return report.plan


def _plan(report: Report, _: GraphView) -> bytes:
    return _plan_of(report).to_csv().encode()


def _schedule(report: Report, _: GraphView) -> bytes:
    if report.schedule is None:
        raise AidgeError.at(report.title, "there is no schedule", cure="See the notes.")
    return report.schedule.to_csv().encode()


def _package(report: Report, graph: GraphView) -> bytes:
    """Write the C program, and pack its folder."""
    from aidge_nb.export import export

    with TemporaryDirectory() as above:
        folder = Path(above, "program")
        export(graph, folder, layers="sums")
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, Path(report.title, path.relative_to(folder)))
        return packed.getvalue()


def said(error: BaseException) -> str:
    """Say in a line why something failed, for the reader of the page.

    Examples
    --------
    >>> said(AidgeError("the file is empty"))
    'the file is empty'
    """
    if isinstance(error, AidgeError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory in this tab for this network"
    return f"this is a defect of aidge_nb, please report it: {type(error).__name__}: {error}"


def answer(action: Callable[..., Any], *given: Any) -> tuple[str, Any]:
    """Call a method; return an empty text and what it returns, or why it failed."""
    try:
        return "", action(*given)
    except AidgeError as error:
        return said(error), None
    except Exception as error:  # noqa: BLE001  # the page goes on, whatever it is
        traceback.print_exc()  # to the browser's console
        return said(error), None
