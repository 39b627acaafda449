"""Answers about a tree that are stored: what takes seconds to work out is asked again by rules, for two trees at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec

from codepath.model.arch import ArchAnswer, ArchReads
from codepath.model.checks import Draft, Rule
from codepath.model.knowledge import Knowledge
from codepath.source import content_key
from codepath.store import Store

_encode = msgspec.msgpack.Encoder().encode
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class KeptArch:
    """An answer to `arch`, the sorted names that hold, or give, values that differ between architectures, and what was read."""

    answer: ArchAnswer
    names: tuple[str, ...]
    reads: ArchReads


_decode = msgspec.msgpack.Decoder(KeptArch).decode


def arch_key(solution: str, knowledge: Knowledge, rest: Sequence[object]) -> str:
    """Return the name under which an answer to `arch` is stored.

    Args:
        solution: The id of the tree's solution: it stands for the files, their modules, and what calls rest on.
        knowledge: What is known; architectures and probes play no part in solutions.
        rest: All else that the answer depends on, as plain data.
    """
    text = repr(("arch", _code(), solution, knowledge, knowledge.requirements, tuple(rest)))
    return content_key(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1)
def _code() -> str:
    """Return a digest of the code that evaluates: an answer of another version is none."""
    folder = Path(__file__).parent.parent
    files = [
        *sorted((folder / "analysis" / "arch").glob("*.py")),
        *sorted((folder / "program" / "changes").glob("*.py")),
        folder / "analysis" / "agreeing.py",
        folder / "app" / "arch.py",
        folder / "model" / "arch.py",
    ]
    return content_key(b"".join(file.read_bytes() for file in files if file.is_file()))


def stored_arch(store: Store, key: str) -> KeptArch | None:
    """Return a stored answer to `arch`, None where there is none that can be read."""
    body = store.answer(key)
    if body is None:
        return None
    try:
        return _decode(body)
    except msgspec.MsgspecError:
        return None


def keep_arch(store: Store, key: str, answer: KeptArch) -> None:
    """Store an answer to `arch`; one with text that has no UTF-8 form is worked out each time."""
    try:
        body = _encode(answer)
    except UnicodeEncodeError:
        return
    store.put_answer(key, body)


# --- answers about a whole tree --------------------------------------------------------------------------------------


def kept_answer(store: Store, about: Sequence[object], kind: type[_Answer], find: Callable[[], _Answer]) -> _Answer:
    """Return an answer about a whole tree: as it was stored, else as it is found now.

    `about` is all that it depends on beside the code, as plain data; `kind` is its class.
    """
    text = repr(("whole", _all_code(), kind.__name__, tuple(about)))
    key = content_key(text.encode("utf-8", "surrogatepass"))
    body = store.answer(key)
    if body is not None:
        with suppress(msgspec.MsgspecError):
            return msgspec.msgpack.decode(body, type=kind)
    found = find()
    with suppress(UnicodeEncodeError):  # text that has no UTF-8 form
        store.offer_answer(key, _encode(found))
    return found


# --- what rules find -------------------------------------------------------------------------------------------------

_decode_drafts = msgspec.msgpack.Decoder(tuple[Draft, ...]).decode


@dataclass(frozen=True, slots=True)
class KeptDrafts:
    """What rules find in one tree, stored: `about` is all that it depends on beside the rule and the code, as plain data."""

    store: Store
    about: Sequence[object]

    def beside(self, other: str, what: str) -> KeptDrafts:
        """Return the same for what depends also on another tree, that of a solution; `what` tells such things apart."""
        return KeptDrafts(self.store, (*self.about, other, what))

    def get(self, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        """Return what a rule finds: as it was stored, else as it is found now."""
        stored = self.stored(rule)
        if stored is not None:
            return stored
        found = tuple(find())
        with suppress(UnicodeEncodeError):  # text that has no UTF-8 form
            self.store.put_answer(self._key(rule), _encode(found))
        return found

    def stored(self, rule: Rule) -> tuple[Draft, ...] | None:
        """Return what a rule found before, None where nothing is stored that can be read."""
        body = self.store.answer(self._key(rule))
        try:
            return _decode_drafts(body) if body is not None else None
        except msgspec.MsgspecError:
            return None

    def _key(self, rule: Rule) -> str:
        tables = [sorted(table.items()) for table in rule.tables]
        text = repr(("drafts", _all_code(), rule.kind, tables, tuple(self.about)))
        return content_key(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1)
def _all_code() -> str:
    """Return a digest of all code: kinds of rules ask everything."""
    files = sorted(Path(__file__).parent.parent.rglob("*.py"))
    return content_key(b"".join(file.read_bytes() for file in files))
