"""`stale-name`: names of modules that the tree no longer provides, and names that are not there where they are read.

Forms: `module` and `import` for what an import names, `attribute` for `module.name`, `patched` for a dotted name in a call of
`patch`, `called` for a module that is called, `typing` for a name that is imported for type checkers alone and read when the
program runs, `guarded` for one that is imported under a flag and read where the flag need not hold.

Approximates: under (a module that may bind names which it does not write has any name).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from codepath.analysis.detect.optional import Optional
from codepath.analysis.detect.provided import Provided
from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.detect.trying import catches, handlers
from codepath.model import ir
from codepath.model.checks import PRECISIONS
from codepath.model.detect import Detected
from codepath.program.annotations import term_of
from codepath.program.bodies import Body
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import MODULE

KIND = "stale-name"
_FORGET_EVERY = 200
"""Modules."""
_FEW = 2
"""Files."""
_USES = ("typing", "guarded")
"""Forms that are told for each function."""
_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError", "Exception")


@dataclass(frozen=True, slots=True)
class _Fault:
    form: str
    module: str
    name: str
    message: str
    surprise: float


class Stale:
    """Finds stale names."""

    def __init__(self, tree: DetectTree) -> None:
        self._tree = tree
        self._bodies = tree.bodies
        self._known = tree.bodies.tree
        self._provided = Provided(tree)
        self._optional = Optional(tree)

    def everywhere(self) -> Iterator[Detected]:
        """Yield the stale names of the whole tree, one a file for each; what many files miss is less surprising."""
        found: dict[tuple[str, str, str, str, str], list[Detected]] = {}
        for number, module in enumerate(list(self._tree.everything()), 1):
            for one in self.of(module):
                key = (one.owner, one.form, one.base, one.name, one.method if one.form in _USES else "")
                found.setdefault(key, []).append(one)
            if number % _FORGET_EVERY == 0:
                self._bodies.forget()
        files = Counter((form, base, name) for _, form, base, name, _ in found)
        for (_, form, base, name, _), same in found.items():
            first = min(same, key=lambda one: PRECISIONS.index(one.precision))
            is_common = files[form, base, name] > _FEW
            yield replace(first, surprise=first.surprise / 2) if is_common else first

    def of(self, module: ModuleInfo) -> Iterator[Detected]:
        """Yield the stale names in one module."""
        yield from self._optional.of(module)
        names = frozenset(self._module_names(module))
        for info in self._tree.asked(module):
            body = self._bodies.of(info)
            for index, expr in enumerate(body.scope.exprs):
                fault = self._fault(body, index, expr, names)
                if fault is not None:
                    yield self._detected(body, index, expr, fault)

    def _module_names(self, module: ModuleInfo) -> Iterator[str]:
        """Yield the names of a file that imports bind to modules of the tree."""
        for info in module.scopes:
            for name, origins in info.names.items():
                dotted = (o.module if o.form == "module" else f"{o.module}.{o.name}" for o in origins if o.module)
                if any(self._known.is_module(one) for one in dotted):
                    yield name

    def _fault(self, body: Body, index: int, expr: ir.Expr, names: frozenset[str]) -> _Fault | None:
        if isinstance(expr, ir.Import):
            return self._module(expr.module)
        if isinstance(expr, ir.ImportFrom):
            return self._from(body.info, expr)
        if isinstance(expr, ir.Attr):
            return self._attribute(body, expr, names)
        if isinstance(expr, ir.Call):
            return self._called(body, expr, names) or self._patched(body, expr)
        return None

    # --- imports -----------------------------------------------------------------------------------------------------

    def _module(self, dotted: str) -> _Fault | None:
        part = None if self._known.is_module(dotted) else self._provided.missing_part(dotted)
        if part is None:
            return None
        return _Fault("module", part[0], part[1], f"`{part[0]}` has no module `{part[1]}`", 0.9)

    def _from(self, info: ScopeInfo, expr: ir.ImportFrom) -> _Fault | None:
        module = info.module.absolute(expr.module, expr.level)
        if not self._known.is_module(module):
            return self._module(module)
        if expr.name == "*" or self._provided.has(module, expr.name) is not False:
            return None
        return _Fault("import", module, expr.name, f"`{module}` provides no `{expr.name}`", 0.9)

    # --- uses --------------------------------------------------------------------------------------------------------

    def _means(self, body: Body, index: int, names: frozenset[str]) -> str:
        """Return the module of the tree that an expression certainly is, else ""."""
        term = term_of(body.scope.exprs, index)
        first = body.scope.exprs[index]
        while isinstance(first, ir.Attr):
            first = body.scope.exprs[first.value]
        if not isinstance(first, ir.Name) or first.id not in names or not isinstance(term, str) or not term:
            return ""
        if body.scope.uses[first.use] and self._is_mixed(body, first):
            return ""
        values = self._bodies.term_values(body.info, term)
        found = next(iter(values), None)
        return str(found[1]) if found is not None and len(values) == 1 and found[0] == MODULE else ""

    def _is_mixed(self, body: Body, name: ir.Name) -> bool:
        """Tell whether a local name may have a value that no import gives it."""
        scope = body.scope
        return any(d >= 0 and scope.definitions[d].form != "import" for d in scope.uses[name.use])

    def _is_bound_once(self, body: Body, name: str) -> bool:
        """Tell whether imports alone bind a name, in the scope or around it."""
        info = body.info
        while True:
            found = [d.form for d in self._bodies.of(info).scope.definitions if d.id == name]
            if found:
                return all(form == "import" for form in found)
            if info.outer < 0:
                return False
            info = self._tree.info(info.outer)

    def _attribute(self, body: Body, expr: ir.Attr, names: frozenset[str]) -> _Fault | None:
        module = self._means(body, expr.value, names)
        if not module or module not in self._known.known or self._provided.has(module, expr.id) is not False:
            return None
        if not self._is_bound_once(body, _first(body.scope, expr.value)):
            return None
        return _Fault("attribute", module, expr.id, f"`{module}` provides no `{expr.id}`", 0.9)

    def _called(self, body: Body, expr: ir.Call, names: frozenset[str]) -> _Fault | None:
        module = self._means(body, expr.func, names)
        if not module or not self._is_bound_once(body, _first(body.scope, expr.func)):
            return None
        above, _, name = module.rpartition(".")
        own = self._tree.module(module)
        if own is None or b"sys.modules" in self._tree.text(own.path):
            return None
        if above and above in self._known.known and self._provided.binds(above, name) is not False:
            return None
        has = f", which provides a `{name}` itself" if self._provided.binds(module, name) else ""
        return _Fault("called", module, name, f"`{module}` is a module{has}, and is called", 1.0)

    def _patched(self, body: Body, expr: ir.Call) -> _Fault | None:
        func = body.scope.exprs[expr.func]
        if not isinstance(func, (ir.Name, ir.Attr)) or func.id not in ("patch", "import_module") or not expr.args:
            return None
        value = body.scope.exprs[expr.args[0].value]
        dotted = value.value if isinstance(value, ir.Const) and not value.form else None
        if not isinstance(dotted, str) or not all(part.isidentifier() for part in dotted.split(".")):
            return None
        if func.id == "import_module":
            return self._module(dotted) if "." in dotted else None
        module, _, name = dotted.rpartition(".")
        if any(arg.name == "create" for arg in expr.args) or module not in self._known.known:
            return None
        if self._provided.has(module, name) is not False:
            return None
        return _Fault("patched", module, name, f"`{module}` provides no `{name}` that could be patched", 0.9)

    # --- findings ----------------------------------------------------------------------------------------------------

    def _detected(self, body: Body, index: int, expr: ir.Expr, fault: _Fault) -> Detected:
        at = expr.at
        return Detected(
            kind=KIND,
            form=fault.form,
            owner=body.info.module.name,
            name=fault.name,
            message=fault.message,
            place=self._tree.place(body.info, at),
            precision=self._precision(body, index, fault),
            surprise=fault.surprise,
            base=fault.module,
            method=body.info.id,
        )

    def _precision(self, body: Body, index: int, fault: _Fault) -> str:
        guards = body.guards.of(index)
        texts = [literal.text for literal in guards]
        if not body.guards.covers(index) or any("TYPE_CHECKING" in text for text in texts):
            return "low"
        if any("hasattr" in text for text in texts) or catches(body.scope, index, "AttributeError", "Exception"):
            return "low" if fault.form in ("attribute", "called") else "medium"
        if fault.form == "module" and self._provided.is_made(fault.name):
            return "low"
        if fault.form in ("module", "import") and _may_fail(body.scope, index):
            return "medium"
        top = fault.module.partition(".")[0]
        is_own = self._known.is_module(top) and body.info.module.name.partition(".")[0] == top
        return "high" if is_own else "medium"


def _may_fail(scope: ir.Scope, index: int) -> bool:
    """Tell whether the code around an import expects it to fail."""
    return any(h.type < 0 or any(name in h.text for name in _IMPORT_ERRORS) for h in handlers(scope, index))


def _first(scope: ir.Scope, index: int) -> str:
    expr = scope.exprs[index]
    while isinstance(expr, ir.Attr):
        expr = scope.exprs[expr.value]
    return expr.id if isinstance(expr, ir.Name) else ""
