"""Logs asked about one tree: settings and classes that a log names, frames matched, causes found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from codepath.analysis.hooks import Hooks
from codepath.analysis.traces.absent import absent_lines, fitting_lines, words_of
from codepath.analysis.traces.architectures import EvaluateModules, architectures_of, named_in
from codepath.analysis.traces.causes import answer_of, causes_of, matched, narrowed
from codepath.analysis.traces.launch import class_for, command_in, flags_in, names_in, settings_in
from codepath.analysis.traces.lines import line_of, read_text
from codepath.analysis.traces.matching import Matcher
from codepath.analysis.traces.orders import stack_of
from codepath.analysis.traces.reading import read_log
from codepath.analysis.traces.site import Ground, NoneFlow, sites_of
from codepath.analysis.traces.supposed import weighed
from codepath.app.reading import Scopes
from codepath.app.supposing import Supposing
from codepath.errors import SourceError
from codepath.model import ir
from codepath.model.knowledge import Architecture
from codepath.model.trace import AbsentAnswer, Assumed, Frame, TraceAnswer
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.hook_facts import HookFacts

_MODEL_KEYS = ("model_path", "model", "model_name_or_path", "served_model_name")
_MODEL = "model"
_HEAD, _TAIL = 4_000_000, 1_000_000  # characters of a log that are searched for settings


_SPEAKING = 80  # files that a line of a log is fitted to
_DEVICES = ("gpu", "device")


class Tracing:
    """Answers `trace` about one tree. `read` gives the bytes of a file, `modules` maps paths to dotted names."""

    def __init__(
        self,
        graph: CallGraph,
        bodies: Bodies,
        hooks: Hooks,
        facts: HookFacts,
        scopes: Scopes,
        modules: dict[str, str],
        read: Callable[[str], bytes],
        none_flow: NoneFlow,
        arch_rows: EvaluateModules,
        architectures: Sequence[Architecture],
        supposing: Supposing,
    ) -> None:
        self._graph = graph
        self._bodies = bodies
        self._hooks = hooks
        self._facts = facts
        self._scopes = scopes
        self._modules = modules
        self._read = read
        self._none_flow = none_flow
        self._arch_rows = arch_rows
        self._architectures = tuple(architectures)
        self._supposing = supposing
        self._lines: dict[str, list[str]] = {}

    def trace(self, data: bytes, assume: Sequence[str], launch_args: str) -> TraceAnswer:
        """Answer about a log.

        Args:
            data: The log.
            assume: `NAME=VALUE` pairs that hold whatever the log says.
            launch_args: Flags of the launch command.
        """
        log = read_log(data)
        text = read_text(data)[0]
        if len(text) > _HEAD + _TAIL:
            text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
        printed = settings_in(text, self._is_settings) or command_in(text)
        truth = self._supposing.truth(list(self._supposed(assume)), launch_args, printed)
        assumed = _assumed(printed, assume, launch_args)
        notes = [f"the first {log.left_out} bytes of the log were passed over"] if log.left_out else []
        found = matched(log, self._matcher)
        if found:
            found[0] = (found[0][0], narrowed(found[0][1], self._ground(), self._matcher))
        frames = found[0][1] if found else ()
        models, known = self._models(text, frames, assumed)
        ground = replace(self._ground(), models=tuple(models), known_model=known, owners=tuple(self._owners(frames)))
        ground = replace(ground, architectures=self._devices(text, assumed), stack=stack_of(sites_of(ground, frames)))
        causes, site = causes_of(*found[0], ground, self._matcher) if found else ([], None)
        shown = self._shown(assumed, models, known)
        return answer_of(log, found, weighed(causes, truth), site, shown, notes)

    def absent(self, text: str) -> AbsentAnswer:
        """Answer under which guards a line with a text would have been printed."""
        ground = self._ground()
        found = absent_lines(ground, text, self._scopes_in(self._holding(text)))
        if not found:
            line = line_of(1, text.strip()).rest.strip()
            found = fitting_lines(ground, line, self._scopes_in(self._speaking(line))) if line else ()
        return AbsentAnswer(text, found)

    def _scopes_in(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the files with the names of their scopes."""
        for path in paths:
            for head in self._heads(path):
                yield path, f"{self._modules[path]}.{head.qualname}".rstrip(".")

    def _speaking(self, line: str) -> list[str]:
        """Return the files that hold words of a line of a log, those with more, and rarer, of them first."""
        words = [word.encode() for word in words_of(line)]
        held: dict[str, list[int]] = {}
        for path in sorted(self._modules):
            data = self._bytes(path)
            found = [number for number, word in enumerate(words) if word in data]
            if found:
                held[path] = found
        often = Counter(number for found in held.values() for number in found)
        weights = {path: sum(1 / often[number] for number in found) for path, found in held.items()}
        return sorted(held, key=lambda path: (-weights[path], path))[:_SPEAKING]

    def _bytes(self, path: str) -> bytes:
        try:
            return self._read(path)
        except SourceError:
            return b""

    def _ground(self) -> Ground:
        """Return the tree as the search for causes asks for it, before anything of a log is known."""
        return Ground(
            self._graph,
            self._hooks,
            self._facts,
            self._bodies,
            self._scopes.find,
            self.lines,
            self._none_flow,
            arch_rows=self._arch_rows,
            all_architectures=tuple(a.name for a in self._architectures),
        )

    def _devices(self, text: str, assumed: Sequence[Assumed]) -> tuple[str, ...]:
        """Return the architectures that are assumed, else those of the devices that a log names."""
        given = [a.value for a in assumed if a.name in _DEVICES and a.source == "--assume"]
        return architectures_of(given, self._architectures) or named_in(text, self._architectures)

    def _supposed(self, assume: Sequence[str]) -> Iterator[str]:
        """Yield what is assumed of guards: a GPU by its architecture, left out where it is of none or of several."""
        for pair in assume:
            if not _is_gpu(pair):
                yield pair
                continue
            names = architectures_of([pair.partition("=")[2]], self._architectures)
            if len(names) == 1:
                yield f"gpu={names[0]}"

    def _owners(self, frames: Sequence[Frame]) -> list[str]:
        """Return the classes whose methods frames run, innermost first."""
        owners = (f.place.function.rpartition(".")[0] for f in reversed(frames) if f.place is not None)
        return list(dict.fromkeys(owner for owner in owners if owner in self._facts.by_name))

    # --- the tree ----------------------------------------------------------------------------------------------------

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self._modules, self.lines, self._heads, self._holding)

    def lines(self, path: str) -> Sequence[str]:
        """Return the lines of a file; none where it cannot be read."""
        found = self._lines.get(path)
        if found is None:
            text = self._bytes(path).decode("utf-8-sig", errors="replace")
            found = self._lines[path] = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return found

    def _heads(self, path: str) -> Sequence[ir.Head]:
        facts = self._scopes.facts(path)
        return facts.heads if facts is not None else ()

    def _holding(self, text: str) -> Iterable[str]:
        data = text.encode()
        yield from (path for path in sorted(self._modules) if data in self._bytes(path))

    # --- what the log says of the run --------------------------------------------------------------------------------

    def _is_settings(self, name: str) -> bool:
        return any(c.fields and c.name.rpartition(".")[2] == name for c in self._facts.classes)

    def _models(self, text: str, frames: Sequence[Frame], assumed: Sequence[Assumed]) -> tuple[list[str], str]:
        """Return the registered classes that the log speaks of, the likeliest first, and that which is certain, or ""."""
        registered = [m.name for members in self._facts.registered.values() for m in members]
        by_last = {name.rpartition(".")[2]: name for name in reversed(registered)}
        named = [by_last[a.value.strip("'\"")] for a in assumed if a.name == _MODEL and a.value.strip("'\"") in by_last]
        if named:
            return named[:1], named[0]
        running = self._running(frames, registered)
        words = [by_last[name] for name, _ in names_in(text, by_last)]
        if running:
            return [running, *words], running
        if words:
            return words, words[0] if len(words) == 1 else ""
        for setting in assumed:
            if setting.name in _MODEL_KEYS:
                likely = class_for(setting.value, by_last)
                if likely:
                    return [by_last[name] for name in likely], ""
        return [], ""

    def _running(self, frames: Sequence[Frame], registered: Sequence[str]) -> str:
        """Return the registered class a method of which is the outermost in some frames: the one that runs the others."""
        known = frozenset(registered)
        for frame in frames:
            owner = frame.place.function.rpartition(".")[0] if frame.place is not None else ""
            if owner in known and sum(1 for c in self._facts.below(owner) if c.name in known) == 1:
                return owner
        return ""

    def _shown(self, assumed: Sequence[Assumed], models: Sequence[str], known: str) -> list[Assumed]:
        """Return the settings, with the class of the model where it is told."""
        found = list(assumed)
        if models and not any(a.name == _MODEL and a.source == "--assume" for a in assumed):
            found.insert(
                0, Assumed(_MODEL, models[0].rpartition(".")[2], "the log" if known else "the name of the model")
            )
        return found


def _is_gpu(pair: str) -> bool:
    return pair.partition("=")[0].strip() == "gpu"


def _assumed(printed: Sequence[Assumed], assume: Sequence[str], launch_args: str) -> list[Assumed]:
    """Return what is given, then what the log prints: settings, else the launch command."""
    given = [Assumed(n.strip(), v.strip(), "--assume") for n, _, v in (pair.partition("=") for pair in assume)]
    given += flags_in(f" {launch_args}", "--launch-args") if launch_args else []
    names = {a.name for a in given}
    return [*given, *(a for a in printed if a.name not in names)]
