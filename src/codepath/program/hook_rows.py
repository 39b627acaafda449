"""What a solved tree knows of hooks beside its scopes, as stored rows: its classes, and the members of registries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from codepath.model.hooks import StoredClass, StoredRegistered, encode_row
from codepath.model.solution import StoredFunction, decode_function
from codepath.program import values as v
from codepath.program.annotations import Term
from codepath.program.rows import CLASSES, FUNCTION, REGISTERED
from codepath.program.solver import Solver
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

_MOST_MADE = 200
_MOST_HOPS = 6
_FIELD_BASES = frozenset(["BaseModel", "Struct", "NamedTuple"])


def hook_rows(solver: Solver, stored: Callable[[str], bytes | None]) -> Iterator[tuple[str, bytes]]:
    """Yield (key, row) pairs for a solved tree; `stored` gives the rows of its call graph."""
    made = _Rows(solver, stored)
    yield CLASSES, encode_row(made.classes())
    for registry in solver.members.names():
        yield REGISTERED + registry, encode_row(tuple(made.registered(registry)))


class _Rows:
    """Makes the rows."""

    def __init__(self, solver: Solver, stored: Callable[[str], bytes | None]) -> None:
        self._solver = solver
        self._tree = solver.tree
        self._stored = stored
        code = [info for info in self._tree.scopes if info.form != "class"]
        self._names = frozenset(info.name for info in code)
        self._abstract = {i.outer for i in code if any(_last(t) == "abstractmethod" for t in i.decorators)}

    # --- classes -----------------------------------------------------------------------------------------------------

    def classes(self) -> tuple[StoredClass, ...]:
        """Return every class, in the order of the tree's numbers."""
        found = (info for info in self._tree.scopes if info.form == "class")
        order = sorted(found, key=lambda i: (i.module.path, i.at, i.name))
        numbers = {info.sid: number for number, info in enumerate(order)}
        return tuple(self._class(info, numbers) for info in order)

    def _class(self, info: ScopeInfo, numbers: Mapping[ScopeId, int]) -> StoredClass:
        classes = self._solver.classes
        outside = tuple(classes.outside_bases(info.sid))
        fields = classes.is_dataclass(info.sid) or any(b.rpartition(".")[2] in _FIELD_BASES for b in outside)
        mro = tuple(numbers[c] for c in classes.mro(info.sid))
        return StoredClass(info.name, info.module.path, info.at, mro, outside, info.sid in self._abstract, fields)

    # --- registries --------------------------------------------------------------------------------------------------

    def registered(self, registry: str) -> Iterator[StoredRegistered]:
        """Yield the classes of a registry with what constructing each constructs."""
        for value in self._solver.members.of(registry):
            if value[0] == v.CLASS:
                info = self._tree.scopes[value[1]]
                yield StoredRegistered(info.name, tuple(self._made_by(info)))

    def _made_by(self, info: ScopeInfo) -> list[str]:
        """Return the classes that constructing a class constructs, nearest first."""
        made: dict[str, None] = {}
        owners = {self._tree.scopes[c].name for c in self._solver.classes.mro(info.sid)}
        first = self._solver.classes.find(info.sid, "__init__")
        level = self._constructors(self._tree.scopes[first.owner].name) if first is not None else []
        seen = set(level)
        for _ in range(_MOST_HOPS):
            following: dict[str, None] = {}
            for name in level:
                row = self._row(name)
                for step in row.steps if row is not None else ():
                    if step.kind not in ("construct", "super", "call") or step.resolution == "by-name":
                        continue
                    owner = step.callee.removesuffix(".__init__")
                    if step.kind == "construct":
                        made[owner] = None
                        owners.add(owner)
                        following.update(dict.fromkeys(self._constructors(owner)))
                    elif step.kind == "super" or step.callee.rpartition(".")[0] in owners:
                        owners.add(step.callee.rpartition(".")[0])
                        following.update(dict.fromkeys(self._with_lambdas(step.callee)))
            level = [name for name in following if name not in seen]
            seen.update(level)
            if not level or len(made) >= _MOST_MADE:
                break
        made.pop(info.name, None)
        return list(made)[:_MOST_MADE]

    def _constructors(self, cls: str) -> list[str]:
        return self._with_lambdas(f"{cls}.__init__")

    def _with_lambdas(self, name: str) -> list[str]:
        """Return a function of the tree and the lambdas in it, which what it calls may run."""
        return [name, *self._lambdas.get(name, ())] if name in self._names else []

    @cached_property
    def _lambdas(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in sorted(self._names):
            if ".<lambda" in name:
                found.setdefault(name.partition(".<lambda")[0], []).append(name)
        return found

    def _row(self, name: str) -> StoredFunction | None:
        blob = self._stored(FUNCTION + name)
        return decode_function(blob) if blob is not None else None


def _last(term: Term) -> str:
    return (term if isinstance(term, str) else term[0]).rpartition(".")[2]
