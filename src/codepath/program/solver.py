"""The solver: the least fixed point of all cells over the scopes of a tree.

Scopes are transfer functions over cells (`frame`), run until no cell grows. Every function is monotone, so the result does
not depend on the order of the work; a fixed order is kept all the same. Work goes module by module, decoding bodies as they
are needed, so that memory holds the cells and one module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Raw

from codepath.knowledge import meant
from codepath.model import ir
from codepath.model.knowledge import Callback, Dispatch, Knowledge
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.annotated import Annotated, Meant
from codepath.program.annotations import Term
from codepath.program.arguments import Arguments
from codepath.program.attributes import Attributes
from codepath.program.calls import Calls
from codepath.program.cells import Cells
from codepath.program.classes import Classes
from codepath.program.collecting import Collections
from codepath.program.construction import Construction
from codepath.program.creation import Creation
from codepath.program.decoded import MOST, Decoded, Marks
from codepath.program.decorating import Decorating
from codepath.program.frame import Frame
from codepath.program.handlers import HANDLERS
from codepath.program.kept import WHOLE, Keeping, Kept, Notes, is_kept
from codepath.program.leaving import leaving
from codepath.program.lexical import Lexical, Meaning
from codepath.program.lookups import may_ask
from codepath.program.members import Members
from codepath.program.namespaces import Namespaces
from codepath.program.narrowing import NO_TESTS, Fact, Narrowed, may_test, narrowed_names, tests_of
from codepath.program.operators import Operators
from codepath.program.optional import Absence, Giving, absences
from codepath.program.order import import_order
from codepath.program.outside import Outside
from codepath.program.patterns import Patterns
from codepath.program.retelling import Ran, Retelling
from codepath.program.taking import Taking
from codepath.program.tree import ModuleInfo, ScopeInfo, Tree
from codepath.program.values import ScopeId, Value, Values
from codepath.program.wrapping import Wrapping

ReadBodies = Callable[[str], "Sequence[Raw] | None"]

_CLASS_METHODS = frozenset(["__new__", "__init_subclass__", "__class_getitem__"])


class Solver:
    """Cells and what the transfer functions ask of the tree. `load` modules, then `solve`; or `extend` and `settle`.

    A solver of part of a tree keeps scopes decoded: it comes back to them with each module that it loads.
    """

    def __init__(self, tree: Tree, knowledge: Knowledge, read_bodies: ReadBodies, *, is_partial: bool = False) -> None:
        self.tree = tree
        self.lexical = Lexical(tree)
        self.classes = Classes(tree, self.lexical)
        self.cells = Cells()
        self.handlers = HANDLERS
        self.callbacks: dict[str, Callback] = {k.function: k for k in knowledge.callbacks}
        self.results: dict[str, str] = {r.function: r.gives for r in knowledge.results}
        self._kept: dict[Value, Value] = {}
        self._passed: dict[Values, Values] = {}
        self._texts: dict[str, Values] = {}
        self._modelled = _modelled(knowledge)
        self.passes = {p.function: p for p in knowledge.passes}
        self.storing = {s.function.rpartition(".")[2]: s.name for s in knowledge.stores}
        self._aliases = {a.name: a.means for a in knowledge.aliases}
        self._meant: dict[str, str] = {}
        self.dispatches: dict[str, list[Dispatch]] = {}
        for dispatch in knowledge.dispatches:
            self.dispatches.setdefault(dispatch.call, []).append(dispatch)
        self.asked_receivers = _asked_receivers(knowledge)
        self.told: dict[str, tuple[str, ...]] = {}
        for edge in knowledge.edges:
            self.told[edge.source] = (*self.told.get(edge.source, ()), edge.target)
        self.annotations = Annotated(self)
        self.members = Members(self, knowledge.registries)
        self.operators = Operators(self)
        self.patterns = Patterns(self)
        self.creation = Creation(self)
        self.wrapping = Wrapping(self)
        self.attributes = Attributes(self)
        self.calls = Calls(self)
        self.construction = Construction(self)
        self.decorating = Decorating(self)
        self.taking = Taking(self)
        self.collections = Collections(self)
        self.namespaces = Namespaces(self)
        self.outside = Outside(self)
        self.retelling = Retelling(self)
        self._read_bodies = read_bodies
        tree.on_declared = self._take
        self._encoded: dict[str, Sequence[Raw] | None] = {}
        self._is_partial = is_partial
        most = MOST if len(tree.known) <= _UNTRIMMED else 0  # what is dropped again leaves gaps in memory
        self._decoded = Decoded(None if is_partial else most)
        self._narrowed: dict[ScopeId, Narrowed] = {}
        self._untested = Marks()
        self.silent = Marks()
        self._tests: dict[ScopeId, tuple[Fact, ...]] = {}
        self.runs = Keeping()
        self._noted: dict[Notes, Notes] | None = None if is_partial else {}
        self._fixed: dict[tuple[ScopeId, int], Meant | None] = {}
        self._lending: frozenset[ScopeId] = frozenset()
        self._lent_self: set[ScopeId] = set()
        self.giving: dict[ScopeId, Giving] = {}
        self._absences: dict[ScopeId, dict[int, Absence]] = {}
        self._waiting: set[tuple[ScopeId, int]] = set()
        self._unknown: set[tuple[ScopeId, int]] = set()
        self.left_to_others: set[ScopeId] = set()
        self.emitting = False
        self._rank: dict[str, int] = {}
        self.observe: Callable[[Frame, dict[tuple[int, ScopeId], str]], None] | None = None

    # --- work --------------------------------------------------------------------------------------------------------

    def declare(self) -> None:
        """Place the classes of all loaded modules in the hierarchy; call once, before `solve`."""
        for info in self.tree.scopes:
            if info.form == "class":
                self.classes.add(info)
        self._note_lending()

    def _note_lending(self) -> None:
        self._lending = frozenset(
            info.outer for info in self.tree.scopes if info.outer >= 0 and self.tree.scopes[info.outer].form in _CODE
        ) | frozenset(self._around_classes())

    def extend(self, modules: Iterable[tuple[str, str, ir.ModuleFacts]]) -> None:
        """Load modules of (name, path, facts) into a solver that has run; `settle` then runs what they change."""
        self.lexical.on_miss = lambda module: self.cells.note((c.MISSING, module))
        self.classes.on_ask = lambda cls: self.cells.note((c.FAMILY, self.classes.root(cls)))
        self.classes.on_merge = self.cells.merge_families
        fresh = [self.tree.load(*module) for module in modules]
        self.classes.forget()  # what names mean is kept only where no module was missing: it stays true
        self._narrowed.clear()
        self.cells.reader = -1
        again = [self.tree.scopes[sid] for sid in sorted(self.classes.incomplete)]
        for info in [*(i for m in fresh for i in m.scopes if i.form == "class"), *again]:
            self.classes.add(info)
            self.cells.wake((c.FAMILY, self.classes.root(info.sid)))
        self.classes.forget()
        self._note_lending()
        self._rank = {name: rank for rank, name in enumerate(import_order(self.tree))}
        for module in fresh:
            self.cells.dirty.update((i.sid, 1 << WHOLE) for i in module.scopes)
            self.cells.wake((c.MISSING, module.name))

    def trim(self) -> None:
        """Drop look-up results, which are made again as they are needed, to bound memory."""
        self.lexical.forget()
        self.classes.forget()
        self._fixed.clear()
        self.annotations.forget()
        self._texts.clear()
        self._passed.clear()
        self.cells.trim()
        self.calls.forget()
        self.attributes.forget()

    @property
    def trim_every(self) -> int:
        """After how many modules `trim` is worth its time; trees of few modules are not trimmed."""
        return _TRIM_EVERY if len(self.tree.modules) > _UNTRIMMED else _UNTRIMMED

    def settle(self) -> None:
        """Run what has to run again until no cell grows."""
        while todo := self._dirty_scopes() or self._given_up():
            self._run_all(todo, 1, None)

    def _dirty_scopes(self) -> list[ScopeId]:
        """Return the scopes that have to run again, sorted."""
        return sorted(sid for sid in self.cells.dirty if sid >= 0)

    def is_unknown(self, info: ScopeInfo, decorator: int) -> bool:
        """Tell whether nothing is known of a decorator once no cell grows: until then what it makes has to wait for it."""
        key = (info.sid, decorator)
        if key in self._unknown:
            return True
        self._waiting.add(key)
        return False

    def _given_up(self) -> list[ScopeId]:
        """Return the scopes with decorators that are now taken as unknown, to be run again."""
        fresh = self._waiting - self._unknown
        self._unknown |= fresh
        self._waiting.clear()
        scopes = sorted({sid for sid, _ in fresh})
        self.cells.dirty.update((sid, 1 << WHOLE) for sid in scopes)
        return scopes

    def _around_classes(self) -> Iterable[ScopeId]:
        for info in self.tree.scopes:
            if info.form == "class":
                around = self.tree.code_scope(info)
                if around.form in _CODE:
                    yield around.sid

    def solve(self, progress: Callable[[str, int, int], None] | None = None) -> None:
        """Run every scope until no cell grows."""
        self._rank = {name: rank for rank, name in enumerate(import_order(self.tree))}
        self.cells.dirty = {info.sid: 1 << WHOLE for info in self.tree.scopes}
        rounds = 0
        while todo := self._dirty_scopes() or self._given_up():
            rounds += 1
            self._run_all(todo, rounds, progress)

    def _run_all(self, todo: Iterable[ScopeId], rounds: int, progress: Callable[[str, int, int], None] | None) -> None:
        by_module: dict[int, list[ScopeInfo]] = {}
        for sid in todo:
            info = self.tree.scopes[sid]
            by_module.setdefault(self._rank[info.module.name], []).append(info)
        trim_every = self.trim_every
        for done, (_, infos) in enumerate(sorted(by_module.items())):
            if progress is not None:
                progress(f"solve, round {rounds}", done, len(by_module))
            if not self._is_partial and done % trim_every == trim_every - 1:
                self.trim()
            self.run_module(infos[0].module, infos)

    def run_module(self, module: ModuleInfo, infos: Sequence[ScopeInfo]) -> None:
        """Run some scopes of one module."""
        decoded: dict[ScopeId, ir.Scope] = {}
        bodies: Sequence[Raw] | None = None
        for _ in range(_INNER_ROUNDS):
            for info in infos:
                scope = self._decoded.get(info.sid) or decoded.get(info.sid)
                if scope is None:
                    bodies = bodies or self._read_bodies(module.path)
                    if bodies is None:
                        return
                    scope = decoded[info.sid] = self._decode(info, bodies)
                self._run_scope(info, scope)
            infos = [info for info in module.scopes if info.sid in self.cells.dirty]
            if not infos:
                break

    def _take(self, module: ModuleInfo, scopes: Sequence[ir.Scope], bodies: Sequence[Raw]) -> None:
        """Keep the bodies of a module that has been loaded."""
        for info in module.scopes:
            self._note_marks(info, bodies[info.index])
        self._decoded.keep({info.sid: scope for info, scope in zip(module.scopes, scopes, strict=True)})

    def _note_marks(self, info: ScopeInfo, body: Raw) -> None:
        """Note what a scope certainly does not do: test classes, look attributes up by name."""
        if not may_test(body):
            self._untested.add(info.sid)
        if not may_ask(body):
            self.silent.add(info.sid)

    def _decode(self, info: ScopeInfo, bodies: Sequence[Raw]) -> ir.Scope:
        scope = ir.decode_scope(bodies[info.index])
        if self._is_partial:  # its tree is lazy: nothing was told when the module was loaded
            self._note_marks(info, bodies[info.index])
            self._decoded.keep({info.sid: scope})
        return scope

    def scope(self, info: ScopeInfo) -> ir.Scope | None:
        """Return the body of a scope, None where the store lost it."""
        found = self._decoded.get(info.sid)
        if found is None:
            bodies = self.encoded(info.module)
            found = self._decode(info, bodies) if bodies is not None else None
        return found

    def encoded(self, module: ModuleInfo) -> Sequence[Raw] | None:
        """Return the encoded bodies of a module, None where the store lost them; those asked for last are kept."""
        found = self._encoded.pop(module.path, None) or self._read_bodies(module.path)
        self._encoded[module.path] = found
        if len(self._encoded) > _MOST_ENCODED:
            del self._encoded[next(iter(self._encoded))]
        return found

    def scopes(self, module: ModuleInfo) -> list[ir.Scope] | None:
        """Return the scopes of a module, None where the store lost them."""
        found = self._decoded.all_of(info.sid for info in module.scopes)
        if found is not None:
            return found
        bodies = self.encoded(module)
        return [self._decode(info, bodies) for info in module.scopes] if bodies is not None else None

    def _run_scope(self, info: ScopeInfo, scope: ir.Scope) -> None:
        ran: list[Ran] = []

        def record(index: int, callee: ScopeId | str, kind: str, family: bool) -> None:
            ran.append((index, callee, kind, family))

        kept = self.runs.take(info.sid)
        mask = self.cells.dirty.pop(info.sid, 0)
        if kept is None and is_kept(scope):
            kept = Kept(leaving(scope.body), self._noted)
        is_short = kept is None and self._decoded.is_whole
        frame = Frame(self, info, scope, record if self.observe is not None or is_short else None, kept)
        frame.resume(mask)
        if is_short:
            self.retelling.keep(frame, ran)
        if kept is not None:
            if frame.values is not kept.values:
                kept.save(scope.exprs, frame.values, self.cells.pool)
            self.runs.put(info.sid, kept)
        if self.observe is not None:
            self.observe(frame, {(index, to): kind for index, to, kind, _ in ran if not isinstance(to, str)})

    def frame(self, info: ScopeInfo) -> Frame | None:
        """Return a scope run on the cells as they are, None where the store lost it."""
        scope = self.scope(info)
        if scope is None:
            return None
        frame = Frame(self, info, scope)
        frame.run()
        return frame

    def freeze(self) -> None:
        """Make all that was solved final."""
        self.retelling.begin()
        self.cells.freeze()

    # --- what frames ask ---------------------------------------------------------------------------------------------

    def narrowed(self, info: ScopeInfo, scope: ir.Scope) -> Narrowed:
        """Return the reads of names in a scope that run only behind an `isinstance` test."""
        found = NO_TESTS if info.sid in self._untested else self._narrowed.get(info.sid)
        if found is None:
            before = self.lexical.misses
            found = narrowed_names(self, info, scope)
            if self.lexical.misses == before:
                self._narrowed[info.sid] = found
        return found

    def tests(self, info: ScopeInfo, scope: ir.Scope) -> tuple[Fact, ...]:
        """Return the tests in a scope; kept where what they name is asked again."""
        found = self._tests.get(info.sid)
        if found is None:
            found = tests_of(scope)
            if self._is_partial:
                self._tests[info.sid] = found
        return found

    def absences(self, info: ScopeInfo, scope: ir.Scope) -> dict[int, Absence]:
        """Return which returns of a function need a parameter to be None, or not to be."""
        found = self._absences.get(info.sid)
        if found is None:
            found = self._absences[info.sid] = absences(scope)
        return found

    def inner(self, info: ScopeInfo, index: int) -> ScopeInfo:
        """Return scope number `index` of the module that `info` stands in."""
        return info.module.scopes[index]

    def defaults(self, info: ScopeInfo) -> Iterable[tuple[int, int]]:
        """Return (parameter, default expression of the scope around) pairs."""
        return ((k, p.default) for k, p in enumerate(info.params) if p.default >= 0)

    def captured(self, info: ScopeInfo) -> bool:
        """Tell whether scopes stand inside a function that can see its names."""
        return info.sid in self._lending

    def star_container(self, callee: ScopeInfo, number: int) -> Value:
        """Return the collection that a `*args` or `**kwargs` parameter holds."""
        kind = "builtins.tuple" if callee.params[number].form == "star" else "builtins.dict"
        return (v.CONTAINER, callee.sid, -1 - number, 0, kind)

    def class_around_code(self, info: ScopeInfo) -> ScopeInfo | None:
        """Return the class that `super()` in this code means."""
        while info.outer >= 0:
            info = self.tree.scopes[info.outer]
            if info.form == "class":
                return info
        return None

    def takes_class(self, info: ScopeInfo) -> bool:
        """Tell whether a method gets its class as first parameter."""
        return info.id in _CLASS_METHODS or any(_last(term) == "classmethod" for term in info.decorators)

    def passed(self, values: Values) -> Values:
        """Return values as cells keep them: the result of an outside call has no name unless a model knows it, and a string is
        none unless it names something."""
        for value in values:
            if value[0] in _RENAMED and value != _UNNAMED:
                break
        else:
            return values
        found = self._passed.get(values)
        if found is None:
            found = self._passed[values] = frozenset([self._keep(one) for one in values])
        return found

    def _keep(self, value: Value) -> Value:
        if value[0] == v.TEXT_LIKE:
            return value if self.patterns.names_something(value) else _UNNAMED
        if value[0] not in _RENAMED:
            return value
        kept = self._kept.get(value)
        if kept is None:
            known = self.is_modelled(value[1]) if value[0] == v.RESULT else self.names_something(value)
            kept = self._kept[value] = value if known else _UNNAMED
        return kept

    def text(self, text: str) -> Values:
        """Return the value of a constant string."""
        found = self._texts.get(text)
        if found is None:
            found = self._texts[text] = frozenset([(v.TEXT, text)])
        return found

    def pooled(self, values: Values) -> Values:
        """Return equal values that others hold too, to save memory."""
        return self.cells.pool.setdefault(values, values)

    def meaning(self, meaning: Meaning) -> Values:
        """Return the values of a looked-up name, its cells read."""
        if not meaning.cells:
            return meaning.values
        if not meaning.values and len(meaning.cells) == 1:
            return self.cells.read((c.NAME, *meaning.cells[0]))
        found = set(meaning.values)
        for scope, name in meaning.cells:
            found |= self.cells.read((c.NAME, scope, name))
        return frozenset(found)

    def names_something(self, value: Value) -> bool:
        """Tell whether a string may lead to code: it names a module of the tree, something in one, or looks like a class's."""
        text = value[1]
        if not isinstance(text, str):
            return False
        return self.tree.is_module(text) or _CLASS_LIKE.fullmatch(text) is not None or self.is_path(text)

    def is_path(self, text: str) -> bool:
        """Tell whether a string names something in a module of the tree (`a.b.name`, `a.b:name`), or a module beside one."""
        if _PATH.fullmatch(text) is None:
            return False
        if text.startswith("."):
            return self.tree.has_module_called(text.rpartition(".")[2])
        return self.tree.is_module(text.rpartition(":" if ":" in text else ".")[0])

    def is_modelled(self, dotted: str) -> bool:
        """Tell whether the models say more of the result of an outside call."""
        return self.meant(dotted) in self._modelled

    def meant(self, dotted: str) -> str:
        """Return the name under which the models know an outside name."""
        found = self._meant.get(dotted)
        if found is None:
            found = self._meant[dotted] = meant(dotted, self._aliases)
        return found

    def bind_value(self, frame: Frame, value: Value, arguments: Arguments) -> None:
        """Join arguments into the parameters of whatever a value calls, without a call."""
        if value[0] in (v.FUNCTION, v.BOUND):
            self.calls.hand(frame, value, value[2] if value[0] == v.BOUND else None, arguments)

    def fixed_param(self, info: ScopeInfo, number: int) -> Meant | None:
        """Return what a parameter is whatever is passed (`self`, annotations), None where only arguments tell."""
        key = (info.sid, number)
        if key in self._fixed:
            return self._fixed[key]
        before = self.lexical.misses
        found = self._fix_param(info, number)
        if self.lexical.misses == before:
            self._fixed[key] = found
        return found

    def _fix_param(self, info: ScopeInfo, number: int) -> Meant | None:
        param = info.params[number]
        if param.form in ("star", "double-star"):
            return Meant(frozenset([self.star_container(info, number)]), False)
        around = self.tree.scopes[info.outer]
        meant = self.annotations.meant(around, param.annotation)
        if number == 0 and around.form == "class" and info.form == "function" and not self._is_static(info):
            kind = v.OPEN_CLASS if self.takes_class(info) else v.OPEN
            own = self.pooled(frozenset([(kind, around.sid)]))
            return Meant(own | meant.values if meant is not None else own, info.sid in self._lent_self)
        return meant

    def lend_self(self, info: ScopeInfo, values: Values) -> None:
        """Add objects that a method gets as its `self` because it is called through its class."""
        if info.sid not in self._lent_self:
            self._lent_self.add(info.sid)
            self._fixed.pop((info.sid, 0), None)
            self.cells.dirty[info.sid] = 1 << WHOLE
        self.cells.join((c.PARAM, info.sid, 0), values)

    def _is_static(self, info: ScopeInfo) -> bool:
        return any(_last(term) == "staticmethod" for term in info.decorators)

    def returned(self, fn: ScopeId, receiver: Value | None, values: Values) -> Values:
        """Return what a function's returns are to its caller: its own `self` is the receiver; its annotation adds."""
        info = self.tree.scopes[fn]
        if info.returns:
            meant = self.annotations.meant(self.tree.scopes[info.outer], info.returns)
            if meant is not None and not meant.values <= values:
                beyond = self._beyond_known(meant.values, values)
                if beyond is not meant.values:
                    self.cells.doubt()
                values = values | (beyond if self.emitting else meant.values)
        if receiver is None or receiver[0] not in _NARROWED:
            return values
        owner = self.tree.class_around(info)
        if owner is None:
            return values
        own = (v.OPEN, owner.sid)
        if own in values and receiver[1] != owner.sid:
            kind = v.OPEN if receiver[0] in (v.OPEN, v.OPEN_CLASS) else v.INSTANCE
            values = (values - {own}) | {(kind, receiver[1])}
        return values

    def _beyond_known(self, promised: Values, values: Values) -> Values:
        """Return what an annotation promises beyond classes of which the returned values are known to be.

        It counts only while emitting: leaving promises out is not monotone.
        """
        if all(p[0] not in _NARROWED for p in promised):
            return promised
        known = [value[1] for value in values if value[0] in _NARROWED]
        covered = {cls for one in known for cls in self.classes.mro(one)}
        kept = frozenset([p for p in promised if p[0] not in _NARROWED or p[1] not in covered])
        return kept if len(kept) < len(promised) else promised


_INNER_ROUNDS = 4  # of one module before the next one: what its scopes tell each other
_UNTRIMMED = 1500  # modules
_TRIM_EVERY = 450  # modules
_MOST_ENCODED = 16  # modules
_RENAMED = (v.RESULT, v.TEXT, v.TEXT_LIKE)
_UNNAMED: Value = (v.RESULT, "")
_PATH = re.compile(r"\.*\w+(?:\.\w+)*(?::\w+)?")
_CLASS_LIKE = re.compile("[A-Z]+[a-z0-9]+[A-Z][A-Za-z0-9_]*|[A-Z][a-z]{3,}[A-Za-z0-9]*")
_CODE = ("function", "lambda")


def _asked_receivers(knowledge: Knowledge) -> frozenset[str]:
    """Return the names of the methods of outside classes that do something to the object they are called on."""
    names = {d.call for d in knowledge.dispatches}
    names.update(p.function.rpartition(".")[2] for p in knowledge.passes if "self" in (p.argument, p.other))
    return frozenset(names | {"__init__"})


def _modelled(knowledge: Knowledge) -> frozenset[str]:
    """Return the outside names of whose results the models say more: their methods, what they give."""
    names = {r.function for r in knowledge.results}
    functions = [k.function for k in knowledge.callbacks] + [p.function for p in knowledge.passes]
    names.update(function.rpartition(".")[0] for function in functions)
    names.add("importlib.import_module")
    return frozenset(names)


_NARROWED = (v.INSTANCE, v.OPEN, v.CLASS, v.OPEN_CLASS)


def _last(term: Term) -> str:
    return (term if isinstance(term, str) else term[0]).rpartition(".")[2]
