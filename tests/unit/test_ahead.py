"""Files that are extracted ahead, by an executor that does what the test says."""

from __future__ import annotations

from concurrent.futures import Future

from codepath.app.ahead import Ahead, Item
from codepath.store import FactsRow


class Workers:
    """Notes what is started; `finish` ends the work on a file."""

    def __init__(self) -> None:
        self.started: dict[str, Future[list[FactsRow]]] = {}
        self.have_ended = False

    def submit(self, items: list[Item]) -> Future[list[FactsRow]]:
        """Start the work on one file."""
        if self.have_ended:
            raise RuntimeError("the workers have ended")
        future = self.started[items[0][1]] = Future()
        future.set_running_or_notify_cancel()
        return future

    def finish(self, key: str) -> None:
        """End the work on one file."""
        self.started[key].set_result([FactsRow(key, b"", None, False)])


def _ahead(most: int, *keys: str) -> tuple[Workers, Ahead]:
    workers = Workers()
    ahead = Ahead(workers.submit, most)
    ahead.add((f"{key}.py", key) for key in keys)
    return workers, ahead


def test_few_files_are_in_work_at_once() -> None:
    workers, _ = _ahead(2, "a", "b", "c")
    assert list(workers.started) == ["a", "b"]
    workers.finish("a")
    assert list(workers.started) == ["a", "b", "c"]


def test_what_is_in_work_is_taken_and_what_is_not_is_given_up() -> None:
    workers, ahead = _ahead(1, "a", "b", "c")
    assert list(ahead.take(["a", "b"])) == ["a"]
    workers.finish("a")
    assert list(workers.started) == ["a", "c"]


def test_a_file_is_extracted_once() -> None:
    workers, ahead = _ahead(1, "a")
    ahead.add([("a.py", "a"), ("b.py", "b")])
    workers.finish("a")
    ahead.add([("a.py", "a")])
    assert list(workers.started) == ["a", "b"]


def test_nothing_begins_while_all_workers_are_needed() -> None:
    workers, ahead = _ahead(1, "a", "b")
    ahead.hold()
    workers.finish("a")
    assert list(workers.started) == ["a"]
    ahead.release()
    assert list(workers.started) == ["a", "b"]


def test_what_is_done_is_kept_in_the_end() -> None:
    workers, ahead = _ahead(2, "a", "b", "c")
    workers.finish("a")
    assert [row.key for row in ahead.end()] == ["a"]


def test_workers_that_have_ended_begin_nothing() -> None:
    workers, ahead = _ahead(1, "a", "b")
    workers.have_ended = True
    workers.finish("a")
    assert list(workers.started) == ["a"]
    assert [row.key for row in ahead.end()] == ["a"]
