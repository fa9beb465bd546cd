"""Firefox, driven through WebDriver BiDi: commands and events as JSON over a web socket.

Firefox speaks it by itself; no driver program stands between.
"""

from __future__ import annotations

import base64
import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import websocket

from tests.browser.engines import Action, Engine

__all__ = ["FirefoxEngine"]

PATIENCE = 120  # seconds: for Firefox to begin, and for one answer
PREFERENCES: dict[str, bool | int | str] = {
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "browser.aboutwelcome.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.preonboarding.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
    "extensions.getAddons.cache.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "termsofuse.bypassNotification": True,
    "toolkit.telemetry.server": "data:,",
}
"""Firefox asks nobody for anything, and shows no welcome."""

EVENTS = ("log.entryAdded", "network.beforeRequestSent")


class FirefoxEngine(Engine):
    """A window of Firefox, and what its page asked for and complained about."""

    name = "firefox"

    def __init__(
        self, program: str, folder: Path, preferences: Mapping[str, bool | int | str] | None = None
    ) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        profile = folder / "profile"
        profile.mkdir(parents=True)
        chosen = {**PREFERENCES, **(preferences or {})}
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(chosen[key])});" for key in chosen]
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        with (folder / "firefox.log").open("wb") as log:
            self._process = subprocess.Popen(
                [program, "--headless", "--remote-debugging-port=0", "--profile", str(profile)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._sent = 0
        self._socket = self._connect(profile / "WebDriverBiDiServer.json")
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=list(EVENTS))
        # A tab of one's own has the focus, without which no page hears of it; the first has not.
        tab = self.send("browsingContext.create", type="tab", background=False)
        self._window = tab["context"]

    def _connect(self, said: Path) -> websocket.WebSocket:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            if said.exists() and (text := said.read_text(encoding="utf-8")):
                at = json.loads(text)
                address = f"ws://{at['ws_host']}:{at['ws_port']}/session"
                return websocket.create_connection(address, PATIENCE, suppress_origin=True)
            time.sleep(0.1)
        raise RuntimeError("Firefox did not begin")

    def send(self, method: str, **parameters: object) -> Any:
        """Send a command and return its result; events that come before it are kept."""
        self._sent += 1
        command = {"id": self._sent, "method": method, "params": parameters}
        self._socket.send(json.dumps(command))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._sent:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event: Mapping[str, Any]) -> None:
        about = event.get("params", {})
        if event.get("method") == "network.beforeRequestSent":
            self.requests.append(about["request"]["url"])
        elif event.get("method") == "log.entryAdded" and about["level"] == "error":
            self.complaints.append(str(about["text"]))

    def goto(self, address: str) -> None:
        self.send("browsingContext.navigate", context=self._window, url=address, wait="complete")

    def run(self, code: str, text: str) -> str:
        given = self.send(
            "script.callFunction",
            functionDeclaration=code,
            arguments=[{"type": "string", "value": text}],
            awaitPromise=True,
            target={"context": self._window},
        )
        if given["type"] == "exception":
            raise RuntimeError(given["exceptionDetails"]["text"])
        value: str = given["result"]["value"]
        return value

    def perform(self, sources: Sequence[Action]) -> None:
        self.send("input.performActions", context=self._window, actions=list(sources))

    def resize(self, width: int, height: int, ratio: float = 1) -> None:
        """Make the page as large as is said: a ratio of 2 is what a zoom of 200 % does."""
        self.send(
            "browsingContext.setViewport",
            context=self._window,
            viewport={"width": width, "height": height},
            devicePixelRatio=ratio,
        )

    def screenshot(self, path: Path) -> None:
        taken = self.send("browsingContext.captureScreenshot", context=self._window)
        path.write_bytes(base64.b64decode(taken["data"]))

    def pdf(self, path: Path) -> None:
        sheet = {"width": 21.0, "height": 29.7}
        printed = self.send("browsingContext.print", context=self._window, page=sheet)
        path.write_bytes(base64.b64decode(printed["data"]))

    def close(self) -> None:
        """End Firefox."""
        try:
            self.send("browser.close")
        except (RuntimeError, websocket.WebSocketException, OSError):
            self._process.terminate()
        self._socket.close()
        self._process.wait(timeout=60)
