"""Files that a question is likely to need, extracted by worker processes while nothing else is asked of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Lock

from codepath.store import FactsRow

Item = tuple[str, str]
"""(path, content key)."""
Rows = list[FactsRow]


class Ahead:
    """Starts work as earlier work ends, so that what is asked for never waits behind what only may be.

    Args:
        submit: What starts the extraction of files.
        most: Files in work at once.
    """

    def __init__(self, submit: Callable[[list[Item]], Future[Rows]], most: int) -> None:
        self._submit = submit
        self._most = most
        self._lock = Lock()  # ends of work are told by a thread of the executor
        self._waiting: deque[Item] = deque()
        self._started: dict[str, Future[Rows]] = {}
        self._running = 0
        self._is_held = False

    def add(self, items: Iterable[Item]) -> None:
        """Let files be extracted, in this order, after those added before."""
        with self._lock:
            known = {key for _, key in self._waiting} | self._started.keys()
            self._waiting.extend(item for item in items if item[1] not in known)
        self._go_on()

    def take(self, keys: Iterable[str]) -> dict[str, Future[Rows]]:
        """Return the work on some files that has begun, by content key; what has not is given up."""
        keys = set(keys)
        with self._lock:
            self._waiting = deque(item for item in self._waiting if item[1] not in keys)
            return {key: self._started.pop(key) for key in keys & self._started.keys()}

    def hold(self) -> None:
        """Begin nothing until `release`: all workers are needed."""
        self._is_held = True

    def release(self) -> None:
        """Go on."""
        self._is_held = False
        self._go_on()

    def end(self) -> Rows:
        """Begin nothing more; return what is done and was not taken."""
        with self._lock:
            self._waiting.clear()
            started = list(self._started.values())
            self._started.clear()
        done = [one for one in started if not one.cancel() and one.done() and one.exception() is None]
        return [row for one in done for row in one.result()]

    def _go_on(self) -> None:
        while (item := self._next()) is not None:
            try:
                future = self._submit([item])
            except RuntimeError:  # the workers have ended
                return
            with self._lock:
                self._started[item[1]] = future
            future.add_done_callback(self._ended)

    def _next(self) -> Item | None:
        with self._lock:
            if self._is_held or self._running >= self._most or not self._waiting:
                return None
            self._running += 1
            return self._waiting.popleft()

    def _ended(self, future: Future[Rows]) -> None:
        with self._lock:
            self._running -= 1
        if not future.cancelled() and future.exception() is None:
            self._go_on()
