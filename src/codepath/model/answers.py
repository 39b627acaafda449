"""Answers: plain frozen data, the same for every report. DESIGN.md section 6 gives their JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codepath.model.values import AskedHook, Writer

from codepath.model.assumptions import Met
from codepath.model.places import Place as Place


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition under which a step runs.

    `polarity` is the truth value that `text` must have. `value` is `true`, `false` or `unknown` on the path, `default` what
    the tree's own defaults make of it. The guard counts only where all guards in `when` hold. `choice`: it decided the
    callee, elsewhere. `changed_at` is a store for which what the condition asks about is not taken for settled, so that
    its value is unknown.
    """

    text: str
    polarity: bool
    kind: str
    file: str
    line: int
    value: str = "unknown"
    default: bool | None = None
    when: tuple[Guard, ...] = ()
    choice: bool = False
    changed_at: Place | None = None


@dataclass(frozen=True, slots=True)
class Via:
    """How a callee was found that the call does not name; `wraps` are the functions that it wraps, where it is a wrapper."""

    how: str
    place: Place
    wraps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of the call graph at one call site."""

    caller: str
    callee: str
    file: str
    line: int
    column: int
    kind: str
    resolution: str
    via: Via | None
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A call site whose callee is not known, and why."""

    caller: str
    file: str
    line: int
    column: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of call sites by their best resolution. `outside`: only callees outside the tree."""

    call_sites: int = 0
    exact: int = 0
    inferred: int = 0
    family: int = 0
    by_name: int = 0
    outside: int = 0
    unresolved: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named thing of the tree; kind is `function`, `method`, `class`, `global` or `module`.

    Kind `outside` is a name that the tree only uses, at the place of its first use.
    """

    name: str
    kind: str
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """A way in; kind is `script`, `main`, `declared` or `spawned`."""

    name: str
    function: str
    kind: str
    place: Place


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A guard that is false on a path, and the place of the constant that makes it so.

    `assumed` is the number of the answer's assumption that gives the constant, None where the path itself passes it on.
    """

    guard: Guard
    because: Place
    assumed: int | None = None


Skip = tuple[Guard, ...]
"""Conditions under which the later of two things runs although the other did not."""


@dataclass(frozen=True, slots=True)
class EventOrder:
    """The order of a path relative to an event.

    `witness` are the places, in one function, that run the two; where both orders are possible those of `before`, then those
    of `after`.
    """

    event: str
    title: str
    verdict: str
    witness: tuple[Place, ...]
    skips: tuple[Skip, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """A witness: steps in run order from an entry (an index into the answer's entries) to the target."""

    entry: int
    steps: tuple[Step, ...]
    feasible: str
    contradiction: Contradiction | None = None
    order: tuple[EventOrder, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Paths that the same thing decides; `paths` index the answer's paths, `entries` its entries.

    `total` counts the witnesses of the group, shown or not. Groups that read the same in text have one `number`, from 1.
    """

    verdict: str
    title: str
    decided_by: Guard | Step | None
    entries: tuple[int, ...]
    paths: tuple[int, ...]
    total: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class Truncation:
    """What an answer leaves out: `shown` of `total` (-1 where the total is not counted)."""

    what: str
    shown: int
    total: int


@dataclass(frozen=True, slots=True)
class NearestMiss:
    """Why nothing leads from A to B.

    Either `guard` stops every path, because of the constant at `because`; or there is no chain of calls: then `forward` and
    `backward` tell how many functions each side holds, `frontier` the likeliest of the `unknown` calls between them, and
    `teach` the lines of codepath.toml that would say what the likeliest runs.
    """

    forward: int
    backward: int
    frontier: tuple[Unresolved, ...]
    unknown: int = 0
    guard: Guard | None = None
    because: Place | None = None
    teach: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bypass:
    """An override of a function on a path from which the target is not reached; `guards` choose its class."""

    function: str
    place: Place
    overrides: str
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """The tree that was asked: `files` and `lines` of all of it, and files left out of what this answer rests on.

    `prefix` is what stands before a file of the tree in text: the folder, relative to the current one, "" for archives.
    """

    spec: str
    root: str
    files: int
    lines: int
    skipped: tuple[tuple[str, str], ...]
    prefix: str = ""
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file left out: `reason` is one sentence; line from 1 and column from 0 where the place is known, else 0.

    `excerpt` is the source line there, "" where it is not known.
    """

    path: str
    reason: str
    line: int
    column: int
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class StepsAnswer:
    """The answer to `callers` and `callees`: the steps into or out of a function, and its call sites of unknown target."""

    target: Symbol
    steps: tuple[Step, ...]
    unresolved: tuple[Unresolved, ...]
    stats: Stats
    truncated: Truncation | None = None


@dataclass(frozen=True, slots=True)
class SymbolsAnswer:
    """The answer to `symbols`: sorted by name, cut at a limit."""

    symbols: tuple[Symbol, ...]
    truncated: Truncation | None


@dataclass(frozen=True, slots=True)
class RegistrySize:
    """How many classes of the tree a registry holds: the values of `variable` in `modules`, or what `table` lists."""

    name: str
    classes: int
    variable: str
    modules: str
    table: str


@dataclass(frozen=True, slots=True)
class EntriesAnswer:
    """The answer to `entries`: also the targets of processes, and what registries hold.

    `uncalled` are functions that nothing calls, only where they were asked for.
    """

    entries: tuple[Entry, ...]
    registries: tuple[RegistrySize, ...]
    uncalled: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Receiver:
    """What unresolved calls are made on, or what is called where it is a name.

    `owner`: the class of its `self`, the function of its parameter, else "". `count` call sites in `functions` functions;
    `calls` are the commonest names called on it, with counts; `places` the first of them. `teach`: lines for codepath.toml
    that tell what one of the calls runs.
    """

    text: str
    owner: str
    count: int
    functions: int
    calls: tuple[tuple[str, int], ...]
    places: tuple[Place, ...]
    teach: str


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for unresolved call sites: how many, the commonest callees behind it as written, and the receivers."""

    reason: str
    count: int
    examples: tuple[tuple[str, int], ...]
    receivers: tuple[Receiver, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """What `index` did: files parsed now and found stored, and the size of the tree. `database` is in bytes."""

    files: int
    parsed: int
    classes: int
    functions: int
    stats: Stats
    entries: tuple[tuple[str, int], ...]
    namespace_folders: int
    byte_order_marks: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    cache: str
    database: int


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """The state of the tree and its index. `stats` counts call sites whose caller matches `--only`.

    `check` runs `rules_on` rules over the tree by its configuration; there are `rules_off` more.
    """

    files: int
    lines: int
    stored: int
    solved: bool
    skipped: tuple[Skipped, ...]
    stats: Stats | None
    unresolved: tuple[Reason, ...]
    cache: str
    database: int
    other_versions: int
    projects: tuple[str, ...]
    config: str | None
    rules_on: int
    rules_off: int


@dataclass(frozen=True, slots=True)
class ReachAnswer:
    """The answer to `reach`.

    `paths` holds one path a group, shortest first, or more where they were asked for. `call_sites` are the steps whose callee
    is the target. `incoming` are, for each function on some way, the steps into it (for the tree view), by callee.
    `overridden` are the functions on the first path that a subclass in the tree overrides.
    `assumptions` are what was assumed, and what each of them met. `hooks` are those for the lack of which the stored value
    is None; empty where only a part of the tree was read. `spelled` are, where no open path was found, the calls that hand
    the target's name on as a string: what is called by that name is not followed.
    """

    target: Symbol
    call_sites: tuple[Step, ...]
    incoming: tuple[Step, ...]
    entries: tuple[Entry, ...]
    paths: tuple[Path, ...]
    groups: tuple[Group, ...]
    guards_always: tuple[Guard, ...]
    nearest_miss: NearestMiss | None
    stats: Stats
    truncated: Truncation | None
    bypasses: tuple[Bypass, ...] = ()
    overridden: tuple[str, ...] = ()
    assumptions: tuple[Met, ...] = ()
    stored_value: Writer | None = None
    hooks: tuple[AskedHook, ...] = ()
    spelled: tuple[Place, ...] = ()
