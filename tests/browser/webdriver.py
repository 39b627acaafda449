"""Chromium, driven by its ChromeDriver: the few commands of the WebDriver protocol that the tests of pages need.

Source: W3C Recommendation "WebDriver", 2018; `se/log` and `goog:chromeOptions` are ChromeDriver's own.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Down": "\ue015", "Up": "\ue013", "End": "\ue010", "Home": "\ue011"}
_START_SECONDS = 60
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


def programs() -> tuple[str, str] | None:
    """Return the paths of ChromeDriver and Chromium, None where one of them is missing."""
    driver = shutil.which("chromedriver")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    return (driver, browser) if driver is not None and browser is not None else None


class Browser:
    """One session."""

    def __init__(self, port: int, session: str) -> None:
        self._port = port
        self._session = session

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return ask(self._port, method, f"/session/{self._session}/{path}", body)

    def open(self, url: str) -> None:
        """Load a page, with what earlier pages said to the console and asked for forgotten."""
        self.console()
        self.requests()
        self._ask("POST", "url", {"url": url})

    def run(self, script: str, *values: object) -> Any:
        """Return what a function body gives, run outside the policy of the page."""
        return self._ask("POST", "execute/sync", {"script": script, "args": list(values)})

    def find(self, css: str) -> str:
        """Return the first element that a selector finds. Raises AssertionError where there is none."""
        return str(self._ask("POST", "element", {"using": "css selector", "value": css})[ELEMENT])

    def click(self, css: str) -> None:
        """Click the middle of an element, as a person would."""
        self._ask("POST", f"element/{self.find(css)}/click", {})

    def type(self, css: str, text: str) -> None:
        """Type into an element."""
        self._ask("POST", f"element/{self.find(css)}/value", {"text": text})

    def keys(self, *keys: str) -> None:
        """Press keys, wherever the focus is: names of `KEYS`, or characters."""
        pressed = [KEYS.get(key, key) for key in keys]
        actions = [{"type": kind, "value": key} for key in pressed for kind in ("keyDown", "keyUp")]
        self._ask("POST", "actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def role(self, css: str) -> str:
        """Return the role of an element, as a screen reader is told it."""
        return str(self._ask("GET", f"element/{self.find(css)}/computedrole"))

    def name(self, css: str) -> str:
        """Return the name of an element, as a screen reader is told it."""
        return str(self._ask("GET", f"element/{self.find(css)}/computedlabel"))

    def text(self, css: str) -> str:
        """Return the text that is shown of an element."""
        return str(self._ask("GET", f"element/{self.find(css)}/text"))

    def cdp(self, command: str, **values: object) -> Any:
        """Run a command of Chromium's own protocol."""
        return self._ask("POST", "goog/cdp/execute", {"cmd": command, "params": values})

    def console(self) -> list[str]:
        """Return what the page said to the console since this was last asked, errors of its policy among it."""
        return [entry["message"] for entry in self._ask("POST", "se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Return the URLs that pages asked for since this was last asked; Chromium's own first page loads its parts late."""
        events = [json.loads(e["message"])["message"] for e in self._ask("POST", "se/log", {"type": "performance"})]
        asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith("chrome://")]


def ask(port: int, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """Ask ChromeDriver; return the value that it gives. Raises AssertionError with what it says where it fails."""
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        encoded = json.dumps(body).encode() if body is not None else None
        connection.request(method, path, encoded, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())["value"]
    finally:
        connection.close()
    assert not (isinstance(answer, dict) and "error" in answer), answer
    return answer


@contextmanager
def started(driver: str, browser: str, folder: Path) -> Iterator[Browser]:
    """Start Chromium with a profile of its own in a folder, and end it."""
    port = _free_port()
    with (folder / "chromedriver.log").open("wb") as log:
        process = subprocess.Popen([driver, f"--port={port}"], stdout=log, stderr=log)
        try:
            _wait(port)
            options = {"binary": browser, "args": [*_FLAGS, f"--user-data-dir={folder / 'profile'}"]}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options}
            wanted["goog:loggingPrefs"] = {"browser": "ALL", "performance": "ALL"}
            session = ask(port, "POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            yield Browser(port, session)
            ask(port, "DELETE", f"/session/{session}")
        finally:
            process.terminate()
            process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait(port: int) -> None:
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            if ask(port, "GET", "/status")["ready"]:
                return
        except (OSError, HTTPException):
            if time.monotonic() > end:
                raise
        time.sleep(0.1)
