"""Facts for the files of a tree: taken from the store, extracted in parallel where they are missing."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress

from msgspec import Raw

from codepath.app.ahead import Ahead
from codepath.app.options import Progress
from codepath.errors import QueryError, SourceError, StoreError
from codepath.model import ir
from codepath.source import Reader, SourceFile, SourceTree, content_key
from codepath.store import FactsRow, Failure, Store

CHUNK = 32
_CHANGED = 16  # files; so few that are not extracted are those that have changed since the others were
_MANY = 200  # files; for fewer, workers are started when a question needs several at once
_POOL_FROM = 6  # files; below that starting a pool costs more than it gives


class Indexer:
    """Knows the content key of each file of a tree and gets its facts; with `no_index` only those that are stored."""

    def __init__(
        self,
        tree: SourceTree,
        store: Store,
        workers: int | None,
        progress: Progress | None,
        *,
        no_index: bool = False,
    ) -> None:
        self.tree = tree
        self.store = store
        self.no_index = no_index
        self._workers = workers or os.cpu_count() or 1
        self._progress = progress
        self._pool: ProcessPoolExecutor | None = None
        self._ahead: Ahead | None = None
        self.parsed = 0
        self.unreadable: dict[str, str] = {}
        self.keys = self._content_keys()

    @property
    def workers(self) -> int:
        """How many processes may work at once."""
        return self._workers

    def _content_keys(self) -> dict[str, str]:
        """Return the content key of each file by path; those of git blobs are looked up or computed once."""
        blobs = [f.key[4:] for f in self.tree.files if f.key.startswith("git:")]
        known = self.store.blob_keys(blobs) if blobs else {}
        keys: dict[str, str] = {}
        fresh: list[tuple[str, str]] = []
        for file in self.tree.files:
            if not file.key.startswith("git:"):
                keys[file.path] = file.key
                continue
            key = known.get(file.key[4:])
            if key is None:
                key = content_key(self.tree.read(file.path))
                fresh.append((file.key[4:], key))
            keys[file.path] = key
        if fresh:
            self.store.put_blob_keys(fresh)
        return keys

    def missing(self, paths: Iterable[str]) -> list[str]:
        """Return the paths whose facts are not stored."""
        paths = list(paths)
        known = self.store.known([self.keys[p] for p in paths])
        return [p for p in paths if self.keys[p] not in known]

    def ensure(self, paths: Iterable[str]) -> int:
        """Extract what is missing of some files and store it; return how many were parsed.

        Raises:
            QueryError: Files are missing and nothing may be parsed.
        """
        todo = self.missing(paths)
        if not todo:
            return 0
        total = len(todo)
        if self.no_index:
            files = "1 file that the answer needs has" if total == 1 else f"{total} files that the answer needs have"
            ways = ("leave out --no-index", "or warm the whole tree: codepath index SPEC")
            raise QueryError(f"{files} not been read yet", help=ways)
        done = 0
        for rows in self._extracted(todo):
            self.store.put_facts(rows)
            done += len(rows)
            self._tell("parse", done, total)
        self.parsed += total
        return total

    def foresee(self, paths: Iterable[str]) -> None:
        """Let workers extract files that are likely to be needed, while they have nothing else to do."""
        if self._workers < 2 or self.no_index:
            return
        todo = self.missing(paths)
        if not todo:
            return
        if self._ahead is None:
            pool, reader = self._workers_started(), self.tree.reader()
            self._ahead = Ahead(lambda items: pool.submit(extract_chunk, reader, items), max(1, self._workers - 1))
        self._ahead.add((path, self.keys[path]) for path in todo)

    def begin(self, paths: Iterable[str]) -> None:
        """Let workers start on what a question about some files is likely to need, or get ready for it."""
        missing = self.missing(paths)
        if len(missing) > _MANY:
            self._get_ready()
        elif len(missing) <= _CHANGED:
            self.foresee(missing)

    def _get_ready(self) -> None:
        """Start the workers while there is nothing for them to do yet."""
        if self._workers > 1 and not self.no_index:
            pool = self._workers_started()
            for _ in range(self._workers):
                pool.submit(int)

    def _workers_started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._workers, initializer=_prepare_extractor)
        return self._pool

    def _extracted(self, todo: Sequence[str]) -> Iterator[list[FactsRow]]:
        reader = self.tree.reader()
        begun = self._ahead.take(self.keys[path] for path in todo) if self._ahead is not None else {}
        items = [(path, self.keys[path]) for path in todo if self.keys[path] not in begun]
        if self._workers < 2 or (len(items) < _POOL_FROM and self._pool is None):
            for chunk in _chunks(items, CHUNK):
                with without_collector():
                    rows = extract_chunk(reader, chunk)
                yield rows
            return
        if self._ahead is not None:
            self._ahead.hold()
        yield from _in_order(self._workers_started(), reader, items)
        for future in begun.values():
            yield future.result()
        if self._ahead is not None:
            self._ahead.release()

    def close(self) -> None:
        """End the worker processes."""
        if self._ahead is not None:
            with suppress(StoreError):  # nobody asked for it
                self.store.put_facts(self._ahead.end())
            self._ahead = None
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(stage, done, total)

    def facts(self, path: str) -> ir.ModuleFacts | Failure | None:
        """Return the stored facts of a file, why there are none, or None where the store lost them."""
        return self.facts_of([path]).get(path)

    def bodies(self, path: str) -> Sequence[Raw] | None:
        """Return the encoded scopes of a file, None where there are none."""
        blob = self._stored([path]).get(self.keys[path])
        return ir.decode_bodies(blob) if isinstance(blob, bytes) else None

    def facts_of(self, paths: Sequence[str]) -> dict[str, ir.ModuleFacts | Failure]:
        """Return the stored facts of several files, in order; those that turn out damaged are extracted again."""
        found = self._stored(paths)
        result: dict[str, ir.ModuleFacts | Failure] = {}
        for path in paths:
            blob = found.get(self.keys[path])
            if isinstance(blob, bytes):
                result[path] = ir.decode_facts(blob)
            elif blob is not None:
                result[path] = blob
        return result

    def failures(self) -> dict[str, Failure]:
        """Return why files did not parse, of those whose facts are stored."""
        found = self.store.facts(self.keys.values())
        return {path: why for path, key in self.keys.items() if isinstance(why := found.get(key), Failure)}

    def _stored(self, paths: Sequence[str]) -> dict[str, bytes | Failure]:
        keys = [self.keys[p] for p in paths]
        found = self.store.facts(keys)
        if len(found) == len(set(keys)):
            return found
        self.ensure(path for path in paths if self.keys[path] not in found)
        return self.store.facts(keys)


def _in_order(pool: Executor, reader: Reader, items: list[tuple[str, str]]) -> Iterator[list[FactsRow]]:
    size = max(1, min(CHUNK, len(items) // 8))
    futures = [pool.submit(extract_chunk, reader, chunk) for chunk in _chunks(items, size)]
    futures.reverse()
    try:
        while futures:
            yield futures.pop().result()  # popped: a future keeps its result as long as it lives
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _chunks(items: list[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the collector off: facts and solutions hold no cycles, and it would walk millions of objects."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def prepare_worker() -> None:
    """Set up a worker process: the collector is off, since facts hold no cycles; Ctrl-C is the parent's."""
    import signal
    from threading import Thread

    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()


def _prepare_extractor() -> None:
    prepare_worker()
    from codepath.extract import fast_parser

    fast_parser()  # imported while nobody waits for it


def _end_with_parent(parent: int) -> None:
    """End this process once its parent is gone: the pipes between them never tell, since each worker holds both ends."""
    import time

    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def extract_chunk(reader: Callable[[str], bytes], items: list[tuple[str, str]]) -> list[FactsRow]:
    """Extract files of (path, content key); what does not parse is a row with its failure."""
    from codepath.extract import extract, fast_parser

    fast_parser()
    rows = []
    for path, key in items:
        try:
            facts = extract(reader(path), path)
        except SourceError as error:
            rows.append(FactsRow(key, None, Failure(error.message, error.line, error.column), False))
        else:
            rows.append(FactsRow(key, ir.encode_facts(facts), None, facts.ast_refused))
    return rows


def snapshot_id(files: Iterable[SourceFile], keys: dict[str, str]) -> str:
    """Return the id of a tree's content: a digest of its sorted (path, key) rows."""
    text = "\n".join(f"{f.path}\0{keys[f.path]}" for f in files)
    return content_key(text.encode())
