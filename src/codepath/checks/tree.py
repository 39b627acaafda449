"""What a kind of rule may ask of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.hooks import Hooks
from codepath.model.answers import Place
from codepath.model.arch import ArchAnswer
from codepath.model.checks import Draft, Rule
from codepath.model.orders import OrderContext
from codepath.model.values import ValuesAnswer
from codepath.program.graph import CallGraph


@dataclass(frozen=True, slots=True)
class Ordered:
    """How two things stand in what one function runs.

    `verdict` is that of `order`, or `unknown` where a bound was met. `runs_first` and `runs_second` tell whether anything
    that it runs leads to them; `is_skipped`, whether the second may run although the first did not.
    """

    verdict: str
    contexts: tuple[OrderContext, ...]
    runs_first: bool
    runs_second: bool
    is_skipped: bool


class CheckedTree(Protocol):
    """One tree, as rules see it."""

    @property
    def graph(self) -> CallGraph:
        """Its call graph."""

    @property
    def hooks(self) -> Hooks:
        """Which classes have which attributes."""

    @property
    def detect(self) -> DetectTree:
        """The tree as detectors see it."""

    @property
    def entries(self) -> tuple[frozenset[str], ...]:
        """The functions and modules with which a program starts: those that are declared, then all."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The architectures that the command line asks for; none for those of the rule."""

    def functions(self, pattern: str) -> tuple[str, ...]:
        """Return the functions that a dotted suffix means, with `*` within a part and `**` across; sorted."""

    def events(self, name: str) -> tuple[str, ...]:
        """Return the functions that are an event of the project, none where it knows no such event."""

    def place(self, function: str) -> Place | None:
        """Return where a function or class is defined."""

    def short(self, name: str) -> str:
        """Return a dotted name without its module."""

    def order(self, frame: str, first: Sequence[str], second: Sequence[str]) -> Ordered | None:
        """Return how two things, each any of some functions, stand in what a function runs; None where it runs neither."""

    def values(self, variable: str, *, unset: bool) -> ValuesAnswer | None:
        """Return what is known of a variable, None where there is none of that name.

        `unset`: whether the ways to reads before any write are wanted.
        """

    def arch(self, targets: Sequence[str]) -> ArchAnswer:
        """Return the tables and branches that depend on the architecture."""

    def kept(self, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        """Return what a rule finds, as it was stored where it was found before."""

    def stored(self, rule: Rule) -> tuple[Draft, ...] | None:
        """Return what a rule found before in the whole tree, None where that is not known."""

    def near(self, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        """Return what a rule finds around what differs from the other tree, as it was stored where it was found before."""

    def compared(self, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        """Return what a rule finds by comparing with the other tree, as it was stored where it was found before."""

    @property
    def touched(self) -> Mapping[str, tuple[int, ...]] | None:
        """The lines by file that a change touches, where only what it changes is asked for."""
