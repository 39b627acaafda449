"""The assumptions of a question, gathered from its options, the configuration and the tree's own launch options."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from codepath.analysis.assuming import Assumptions
from codepath.analysis.conditions import Conditions
from codepath.analysis.constants import Folding
from codepath.analysis.defaults import Defaults
from codepath.analysis.launch import Launch
from codepath.analysis.launch_line import assumptions_of
from codepath.analysis.likelihood import DefaultOf, nothing_known
from codepath.analysis.said import read
from codepath.analysis.settled import Settled
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import Guard, Path, ReachAnswer, Symbol
from codepath.model.assumptions import Assumption, Option, Said
from codepath.model.knowledge import Knowledge
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph

if TYPE_CHECKING:
    from codepath.analysis.arch.assumed import AssumedGpu

DEFAULTS = "--launch-defaults"
_MODELS = "models"


class Assuming:
    """Makes the assumptions of one question about one tree.

    Args:
        bodies: The functions of the tree.
        graph: Its call graph.
        knowledge: What is known of the project.
        modules: Dotted names of all modules.
        find_class: Finds the classes of a name; `near` gives names near one.
        gpu: Gives the GPU that a word means.
    """

    def __init__(
        self,
        bodies: Bodies,
        graph: CallGraph,
        knowledge: Knowledge,
        modules: Sequence[str],
        find_class: Callable[[str], Sequence[Symbol]],
        near: Callable[[str], Sequence[str]],
        gpu: Callable[[str], AssumedGpu],
    ) -> None:
        self._bodies = bodies
        self._graph = graph
        self._knowledge = knowledge
        self._modules = modules
        self._find_class = find_class
        self._near = near
        self._gpu = gpu
        self._gpus: dict[str, AssumedGpu] = {}
        self._settled = Settled(graph, bodies)
        self._told: tuple[frozenset[str], Defaults] | None = None

    def folding(self, assumptions: Assumptions | None = None) -> Folding:
        """Return a folding under some assumptions."""
        return Folding(self._bodies, self._settled, assumptions)

    def assumptions(
        self, said: Said, configured: Sequence[str] = (), printed: Sequence[Assumption] = ()
    ) -> Assumptions | None:
        """Return the assumptions of a question, what is said in it before what is `printed` and configured; None for none.

        Raises:
            QueryError: A text is no assumption, a launch option or a model is not in the tree.
        """
        found = [self._resolved(read(text)) for text in said.assume]
        if said.launch_args is not None:
            found += assumptions_of(self._launch(with_choices=True).options, said.launch_args)
        known = {a.name for a in found if a.kind == "attribute"}
        found += [a for a in printed if a.name not in known]
        found += [self._resolved(read(text, "codepath.toml")) for text in configured]
        if said.launch_defaults:
            found += self._defaults()
        return self._of(found) if found else None

    def told(self, answer: ReachAnswer) -> ReachAnswer:
        """Return an answer with what the assumptions are: defaults that no guard mentions are left out."""
        kept = [n for n, met in enumerate(answer.assumptions) if met.assumption.origin != DEFAULTS or met.guards]
        numbers = {number: place for place, number in enumerate(kept)}
        chosen = (answer.assumptions[number] for number in kept)
        met = tuple(replace(m, rewritten=self._rewritten(m.assumption)) for m in chosen)
        paths = tuple(_renumbered(path, numbers) for path in answer.paths)
        return replace(answer, assumptions=met, paths=paths)

    def _rewritten(self, assumption: Assumption) -> tuple[str, ...]:
        """Return the functions that store the attribute behind a launch option again."""
        if assumption.kind != "attribute":
            return ()
        return tuple(f for f in dict.fromkeys(self._stores(assumption.name, assumption.holder)) if f)

    def with_defaults(self, answer: ReachAnswer) -> ReachAnswer:
        """Return an answer whose guards say what the tree's own launch defaults make of them."""
        if not self.holders:
            return answer
        steps = (*answer.call_sites, *(step for path in answer.paths for step in path.steps))
        return self._defaults_about([guard for step in steps for guard in step.guards]).answer(answer)

    def defaults_of(self, guards: Sequence[Guard]) -> DefaultOf:
        """Return what the tree's own launch defaults make of some guards."""
        return self._defaults_about(guards).of if self.holders else nothing_known

    def _defaults_about(self, guards: Sequence[Guard]) -> Defaults:
        """Return the defaults, those told of which some guards speak."""
        words = frozenset(word for text in {guard.text for guard in guards} for word in re.findall(r"\w+", text))
        if self._told is None or not words <= self._told[0]:
            assumptions = self._of(list(self._defaults(words)))
            self._told = words, Defaults(Conditions(self._bodies, self.folding(assumptions)))
        return self._told[1]

    # --- launch options --------------------------------------------------------------------------------------------------

    @cached_property
    def holders(self) -> tuple[str, ...]:
        """The classes of the tree whose objects carry the launch options."""
        names = (launch.cls for launch in self._knowledge.launches)
        return tuple(name for name in names if self._bodies.scope(name) is not None)

    def options(self) -> tuple[Option, ...]:
        """Return the launch options that the tree defines."""
        return self._launch(with_choices=True).options

    def _launch(self, *, with_choices: bool = False, only: Container[str] | None = None) -> Launch:
        patterns = [p for launch in self._knowledge.launches if launch.cls in self.holders for p in launch.fields]
        fields: list[str] = []
        for module in self._modules:
            if any(fnmatchcase(module, pattern) for pattern in patterns) and self._bodies.body(module) is not None:
                fields += [i.name for i in self._bodies.tree.modules[module].scopes if i.form == "class"]
        return Launch(self._bodies, self.folding(), self.holders, fields, with_choices=with_choices, only=only)

    def _defaults(self, mentioned: Container[str] | None = None) -> Iterator[Assumption]:
        """Yield what the options and fields are by default, those left out that the tree stores again.

        `mentioned` are the attributes that are asked about, None for all.
        """
        launch = self._launch(only=mentioned)
        known: dict[tuple[str, str], Option] = {}
        for holder in self.holders:
            known.update(((holder, name), option) for name, option in launch.defaults(holder).items())
        for option in launch.options:
            if option.attribute:
                known.setdefault((option.holder, option.attribute), option)
        for (holder, name), option in known.items():
            if option.has_default and not self._stores(name, holder):
                yield Assumption(name, "=", option.default, "attribute", DEFAULTS, holder, option.place)

    def _stores(self, attribute: str, holder: str) -> list[str]:
        """Return the functions that store an attribute on what is, or may be, an object of a holder."""
        found = (f for f, owner in self._graph.all_stores_of(attribute) if owner in ("", holder))
        return [f for f in found if not self._fills(f, holder) and self._may_store(f, attribute, holder)]

    def _may_store(self, function: str, attribute: str, holder: str) -> bool:
        body = self._bodies.body(function)
        if body is None:
            return True
        stores = [e for e in body.scope.exprs if isinstance(e, ir.StoreAttr) and e.id == attribute]
        plain = self._of([])
        return not stores or any(plain.may_be(body, e.object, holder) for e in stores)

    def _fills(self, function: str, holder: str) -> bool:
        """Tell whether a function makes the parsed arguments into an object of the holder, or is its constructor."""
        return function in (f"{holder}.__init__", f"{holder}.from_cli_args")

    # --- models ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _members(self) -> tuple[str, ...]:
        found = [r for r in self._knowledge.registries if r.name == _MODELS]
        return tuple(r.modules or f"{r.prefix}*" for r in found)

    def _of(self, found: Sequence[Assumption]) -> Assumptions:
        views = tuple(v for launch in self._knowledge.launches if launch.cls in self.holders for v in launch.views)
        return Assumptions(self._bodies, found, self._members, self.holders, views, self._gpus)

    def _resolved(self, assumption: Assumption) -> Assumption:
        if assumption.kind == "gpu":
            gpu = self._gpu(str(assumption.value))
            self._gpus[gpu.arch.name] = gpu
            return replace(assumption, value=gpu.arch.name)
        if assumption.kind != "model":
            return assumption
        said = str(assumption.value)
        names = _architectures(said) if said.endswith(".json") else (said,)
        for name in names:
            classes = [s for s in self._find_class(name) if self._is_member(s.name)]
            if len(classes) == 1:
                return replace(assumption, value=name, holder=classes[0].name)
        if not self._members:
            raise QueryError(
                "no registry of models is known in this tree",
                help=('tell codepath where they are: codepath.toml  [[registries]] name = "models"',),
            )
        shown = ", ".join(f"`{name}`" for name in names)
        help = tuple(f"did you mean `{name}`?" for name in self._near(names[0])[:1])
        raise QueryError(f"no registered model is called {shown}", help=help)

    def _is_member(self, cls: str) -> bool:
        return any(fnmatchcase(cls.rpartition(".")[0], pattern) for pattern in self._members)


def _renumbered(path: Path, numbers: Mapping[int, int]) -> Path:
    found = path.contradiction
    if found is None or found.assumed is None:
        return path
    return replace(path, contradiction=replace(found, assumed=numbers[found.assumed]))


def _architectures(path: str) -> tuple[str, ...]:
    """Return the architectures that a model's `config.json` names."""
    import json

    try:
        found = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise QueryError(f"the model's configuration `{path}` cannot be read: {reason}") from None
    except ValueError:
        raise QueryError(f"the model's configuration `{path}` is no JSON") from None
    names = found.get("architectures") if isinstance(found, dict) else None
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise QueryError(f"the model's configuration `{path}` names no `architectures`")
    return tuple(names)
