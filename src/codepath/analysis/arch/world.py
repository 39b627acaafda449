"""What all architectures share: the bodies of the tree, the probes, and what is assumed of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codepath.analysis.arch.reads import BELOW, CALLERS, CALLS, NAME, Reads, part
from codepath.analysis.arch.values import UNKNOWN, Instance, Properties, Seq, Trail, Val, lifted
from codepath.model import ir
from codepath.model.answers import Step
from codepath.model.knowledge import Architecture, Knowledge
from codepath.program.bodies import Bodies, Body
from codepath.program.classes import Found
from codepath.program.graph import CallGraph
from codepath.program.lexical import Meaning
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import ScopeId

_STORES: frozenset[type] = frozenset([ir.Bind, ir.StoreAttr, ir.StoreItem])
_MAX_IMPORTS = 12  # modules that a name is imported through
_COMPARED = re.compile(r"(capability|major|minor|sm)\s*(==|!=|<=|>=|<|>|in)\s*(\(?[\d,\s]+\)?)")


class World:
    """A tree with the models that hold for it; `graph` tells callees that evaluation does not find."""

    def __init__(self, bodies: Bodies, graph: CallGraph, knowledge: Knowledge) -> None:
        self.bodies = bodies
        self.graph = graph
        self.knowledge = knowledge
        self.reads = Reads()
        self.probes: Mapping[str, str] = {p.function: p.returns for p in knowledge.probes}
        self.platform = {p.name: p for p in knowledge.platform}
        self.kernels = {k.name: k for k in knowledge.kernels}
        self._methods: dict[ScopeId, tuple[ScopeInfo, ...]] = {}
        self._set_later: dict[ScopeId, frozenset[str]] = {}
        self._stored: dict[ScopeId, frozenset[str]] = {}
        self._skipped: dict[ScopeId, frozenset[int]] = {}
        self._stores_in: dict[ScopeId, tuple[int, ...]] = {}
        self._told: dict[str, dict[int, list[str]]] = {}

    def info(self, sid: ScopeId) -> ScopeInfo:
        """Return a scope by its number."""
        info = self.bodies.tree.scopes[sid]
        self.reads.here.add(info.name)
        return info

    def body(self, sid: ScopeId) -> Body:
        """Return the body of a scope."""
        return self.bodies.of(self.info(sid))

    def told_callees(self, function: str, at: int) -> list[str]:
        """Return what the call graph has for a call of a function, equal names alone left out."""
        self.reads.here.add(part(CALLS, function))
        found = self._told.get(function)
        if found is None:
            found = self._told[function] = {}
            row = self.graph.function(function)
            for step in row.steps if row is not None else ():
                if step.resolution != "by-name":
                    found.setdefault(step.at, []).append(step.callee)
        return found.get(at, [])

    def module_sid(self, name: str) -> ScopeId | None:
        """Return the scope of a module's top level, None where it cannot be loaded."""
        body = self.bodies.body(name)
        self.reads.here.add(name)
        return body.info.sid if body is not None and body.info.form == "module" else None

    def methods(self, cls: ScopeId) -> tuple[ScopeInfo, ...]:
        """Return the functions in the body of a class."""
        found = self._methods.get(cls)
        info = self.info(cls)
        if found is None:
            found = tuple(s for s in info.module.scopes if s.outer == cls and s.form == "function")
            self._methods[cls] = found
        return found

    # --- what the reads of an evaluation are noted of ----------------------------------------------------------------

    def meaning(self, info: ScopeInfo, name: str) -> Meaning:
        """Return what a name that a scope does not bind means."""
        self._named(info.module, name)
        return self.bodies.meaning(info, name)

    def member(self, module: str, name: str) -> Meaning:
        """Return what a name of a module means."""
        found = self.bodies.member(module, name)
        held = self.bodies.tree.modules.get(module)
        if held is not None:
            self._named(held, name)
        return found

    def _named(self, module: ModuleInfo, name: str) -> None:
        """Note the names that a name of a module stands for, along imports."""
        here = self.reads.here
        for _ in range(_MAX_IMPORTS):
            here.add(part(NAME, name))
            here.add(module.name)
            origins = module.scopes[0].names.get(name, ())
            through = next((o for o in origins if o.form == "member"), None)
            following = self.bodies.tree.modules.get(through.module) if through is not None else None
            if through is None:
                return
            name = through.name
            if following is None:
                here.add(part(NAME, name))
                return
            module = following

    def mro(self, sid: ScopeId) -> Sequence[ScopeId]:
        """Return a class and its bases in the tree, in the order of look-ups."""
        found = self.bodies.classes.mro(sid)
        self.reads.here.update(self.bodies.tree.scopes[one].name for one in found)
        return found

    def find(self, sid: ScopeId, name: str) -> Found | None:
        """Return what a class has under a name."""
        self.mro(sid)
        return self.bodies.classes.find(sid, name)

    def overrides(self, sid: ScopeId, name: str) -> Sequence[Found]:
        """Return what subclasses have under a name."""
        found = self.bodies.classes.overrides(sid, name)
        with self.reads.within(part(BELOW, self.info(sid).name)):
            for held in found:
                self.info(held.owner)
        return found

    def below(self, sid: ScopeId) -> Sequence[ScopeId]:
        """Return the subclasses of a class."""
        found = self.bodies.classes.below(sid)
        with self.reads.within(part(BELOW, self.info(sid).name)):
            for one in found:
                self.info(one)
        return found

    def outside_bases(self, sid: ScopeId) -> Sequence[str]:
        """Return the bases of a class outside the tree."""
        self.mro(sid)
        return self.bodies.classes.outside_bases(sid)

    def is_dataclass(self, sid: ScopeId) -> bool:
        """Tell whether a class or a base of it is a dataclass."""
        self.mro(sid)
        return self.bodies.classes.is_dataclass(sid)

    def steps_into(self, function: str) -> Iterable[Step]:
        """Return the steps that lead to a function."""
        self.reads.here.add(part(CALLERS, function))
        return self.graph.steps_into(function)

    def is_set_later(self, module: ScopeId, name: str) -> bool:
        """Tell whether a function of a module stores one of its globals."""
        found = self._set_later.get(module)
        info = self.info(module)
        if found is None:
            scopes = info.module.scopes
            found = frozenset(n for s in scopes if s.form == "function" for n in self.bodies.of(s).scope.globals)
            self._set_later[module] = found
        return name in found

    def stored_by(self, sid: ScopeId) -> frozenset[str]:
        """Return the attributes that a function stores on anything."""
        found = self._stored.get(sid)
        self.info(sid)
        if found is None:
            exprs = self.body(sid).scope.exprs
            found = self._stored[sid] = frozenset(e.id for e in exprs if isinstance(e, ir.StoreAttr))
        return found

    def inside_comprehensions(self, body: Body) -> frozenset[int]:
        """Return the expressions of a body that run once per element of a comprehension."""
        found = self._skipped.get(body.info.sid)
        if found is None:
            inner: set[int] = set()
            for index, expr in enumerate(body.scope.exprs):
                if isinstance(expr, ir.Comp) and expr.clauses:
                    inner.update(range(expr.clauses[0].start, index))
            found = self._skipped[body.info.sid] = frozenset(inner)
        return found

    def stores_in(self, body: Body) -> tuple[int, ...]:
        """Return the stores of a body, ascending, those that run once per element of a comprehension left out."""
        found = self._stores_in.get(body.info.sid)
        if found is None:
            inner = self.inside_comprehensions(body)
            numbered = enumerate(body.scope.exprs)
            found = tuple(i for i, e in numbered if e.__class__ in _STORES and i not in inner)
            self._stores_in[body.info.sid] = found
        return found

    def outside(self, name: str, arch: Architecture, *, called: bool, where: Trail | None = None) -> Val | None:
        """Return what a name outside the tree is on the machine, or gives when it is called; None where nothing says."""
        returns = self.probes.get(name)
        if returns is not None and called:
            place = (where.file, where.at) if where is not None else ("", 0)
            return self.probed(returns, arch, Trail(*place, f"{name}()"))
        known = self.platform.get(name)
        if known is None or (known.is_called is not called and not known.cls):
            return None
        return self.of_platform(name)

    def of_platform(self, name: str) -> Val | None:
        """Return what the models say that a name is on the machine."""
        known = self.platform.get(name)
        if known is None:
            return None
        if known.cls:
            body = self.bodies.body(known.cls)
            return Val(Instance(body.info.sid)) if body is not None else None
        return Val(known.value)

    def probed(self, returns: str, arch: Architecture, trail: Trail) -> Val:
        """Return the value of a probe on an architecture."""
        major, minor = arch.capability
        if returns == "capability":
            return lifted((major, minor), trail)
        if returns in ("major", "minor", "sm", "sm-string"):
            sm = major * 10 + minor
            return Val({"major": major, "minor": minor, "sm": sm, "sm-string": str(sm)}[returns], trail)
        if returns == "device-name":
            names = tuple(Val(f"NVIDIA {device}", trail) for device in arch.devices[:1])
            return names[0] if names else Val(UNKNOWN, trail)
        if returns == "properties":
            return Val(Properties(), trail)
        if returns.startswith("bool:"):
            return Val(_holds(returns[5:], arch), trail)
        return Val(UNKNOWN, trail)

    def property_of(self, name: str, arch: Architecture, trail: Trail | None) -> Val:
        """Return a field of the device's properties."""
        known: dict[str, Any] = {"major": arch.capability[0], "minor": arch.capability[1]}
        if arch.devices:
            known["name"] = f"NVIDIA {arch.devices[0]}"
        if arch.shared_memory:
            known["shared_memory_per_block_optin"] = arch.shared_memory
        return Val(known.get(name, UNKNOWN), trail)


def _holds(text: str, arch: Architecture) -> Any:
    """Evaluate `EXPR` of a probe: comparisons of `capability`, `major`, `minor` and `sm`, joined by `and` or `or`."""
    if text.strip() in ("True", "False"):
        return text.strip() == "True"
    if " or " in text:
        return any(_holds(part, arch) is True for part in text.split(" or "))
    if " and " in text:
        return all(_holds(part, arch) is True for part in text.split(" and "))
    found = _COMPARED.fullmatch(text.strip())
    if found is None:
        return UNKNOWN
    major, minor = arch.capability
    left: Any = {"capability": (major, minor), "major": major, "minor": minor, "sm": major * 10 + minor}[found[1]]
    numbers = tuple(int(n) for n in re.findall(r"\d+", found[3]))
    if found[2] == "in":
        return left in numbers
    right: Any = numbers if "(" in found[3] else numbers[0]
    if isinstance(left, tuple) is not isinstance(right, tuple):
        return UNKNOWN
    return {
        "==": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[found[2]]


def items_of(value: Val) -> tuple[Val, ...] | None:
    """Return the elements of a collection that is wholly known."""
    return value.data.items if isinstance(value.data, Seq) else None
