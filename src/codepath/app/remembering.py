"""What functions come to before an event, stored beside a solution: the next question about the event opens none of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from codepath.analysis.remembered import Pair, Remembered
from codepath.analysis.sides import Named
from codepath.source import content_key
from codepath.store import Store

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[bytes, Pair]).decode


class Memory:
    """What is stored for one solution: `about` is all that outcomes depend on beside the event and the code, as plain data."""

    def __init__(self, store: Store, about: Sequence[object]) -> None:
        self._store = store
        self._about = tuple(about)
        self._open: dict[str, Remembered] = {}

    def of(self, event: Named) -> Remembered:
        """Return what is known of the functions that may lead to an event."""
        key = self._key(event)
        if key not in self._open:
            body = self._store.answer(key)
            try:
                self._open[key] = Remembered(_decode(body) if body is not None else {})
            except msgspec.MsgspecError:
                self._open[key] = Remembered({})
        return self._open[key]

    def save(self) -> None:
        """Store what was added."""
        for key, remembered in self._open.items():
            grown = remembered.grown()
            if grown is not None:
                self._store.offer_answer(key, _encode(grown))
        self._open.clear()

    def _key(self, event: Named) -> str:
        places = sorted((name, sorted(indices)) for name, indices in event.places.items())
        text = repr(("outcomes", _code(), self._about, event.before, sorted(event.targets), places))
        return content_key(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1)
def _code() -> tuple[tuple[str, int, int], ...]:
    """Return what tells this version of the code from others, without reading it."""
    folder = Path(__file__).parent.parent
    files = [*folder.glob("analysis/*.py"), *folder.glob("program/*.py"), folder / "model" / "ir.py"]
    found = ((file.name, file.stat()) for file in sorted(files) if file.is_file())
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in found)
