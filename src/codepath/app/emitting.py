"""Rows of a solved tree on as many processes as may work: forked once nothing grows, so that all of them see one solution."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence

import msgspec

from codepath.app.indexing import prepare_worker
from codepath.program.build import SolutionBuilder
from codepath.program.gathered import Gathered
from codepath.program.tree import ModuleInfo
from codepath.store import Spill, Store

MOST = 4
"""Processes; each derives attributes anew, so that more of them give little."""
_BLOCK = 8  # modules
_MOST_BLOCKS = 1000  # a pipe holds as many numbers, whatever the system
_WIDTH = 4  # bytes of a number

_Done = tuple[list[int], Gathered]
_decoder = msgspec.msgpack.Decoder(_Done)


def emit(builder: SolutionBuilder, spill: Spill, store: Store, workers: int) -> None:
    """Spill all rows; `spill` has a part for each of the workers. The rows do not depend on who made which.

    What a helping process does not hand over, because it was killed, is done here.
    """
    builder.prepare()
    modules = builder.modules()
    size = max(_BLOCK, len(modules) // _MOST_BLOCKS + 1)
    blocks = [modules[start : start + size] for start in range(0, len(modules), size)]
    helpers = min(workers, MOST, len(blocks)) - 1 if _can_fork() else 0
    done = _shared(builder, spill, store, blocks, helpers) if helpers > 0 else set()
    for number, block in enumerate(blocks):
        if number not in done:
            _emit_block(builder, spill, block)
    for key, row in builder.last(spill.get):
        spill.add(key, row)


def _can_fork() -> bool:
    return hasattr(os, "fork") and sys.platform != "darwin"  # frameworks of the system do not outlive a fork there


def _emit_block(builder: SolutionBuilder, spill: Spill, block: Sequence[ModuleInfo]) -> None:
    for module in block:
        for key, row in builder.of_module(module):
            spill.add(key, row)


def _shared(
    builder: SolutionBuilder, spill: Spill, store: Store, blocks: Sequence[Sequence[ModuleInfo]], helpers: int
) -> set[int]:
    """Emit blocks together with helping processes; return the numbers of those that are done."""
    queue = _queue(len(blocks))
    children: dict[int, int] = {}
    for part in range(1, helpers + 1):
        child = _forked(store)
        if child == 0:
            _help(builder, spill, part, blocks, queue)
        if child > 0:
            children[part] = child
    done = set(_emit_queued(builder, spill, blocks, queue))
    os.close(queue)
    for part, child in children.items():
        if os.waitpid(child, 0)[1] == 0:
            numbers, gathered = _decoder.decode(spill.take_over(part))
            builder.gathered.join(gathered)
            done.update(numbers)
    return done


def _queue(count: int) -> int:
    """Return a pipe from which each process takes the number of the block that it does next."""
    read, write = os.pipe()
    os.write(write, b"".join(number.to_bytes(_WIDTH, "big") for number in range(count)))
    os.close(write)
    return read


def _forked(store: Store) -> int:
    """Return the number of a new process, 0 in that process itself, -1 where none can be made."""
    with store.closed(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: ours only looks whether its parent lives
        try:
            return os.fork()
        except OSError:
            return -1


def _help(
    builder: SolutionBuilder, spill: Spill, part: int, blocks: Sequence[Sequence[ModuleInfo]], queue: int
) -> None:
    """Do blocks in a forked process, hand them over, and end the process."""
    status = 1
    try:
        prepare_worker()
        spill.begin(part)
        numbers = list(_emit_queued(builder, spill, blocks, queue))
        spill.hand_over(msgspec.msgpack.encode((numbers, builder.gathered)))
        status = 0
    finally:
        os._exit(status)


def _emit_queued(
    builder: SolutionBuilder, spill: Spill, blocks: Sequence[Sequence[ModuleInfo]], queue: int
) -> Iterator[int]:
    while taken := os.read(queue, _WIDTH):
        number = int.from_bytes(taken, "big")
        _emit_block(builder, spill, blocks[number])
        yield number
