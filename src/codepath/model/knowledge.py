"""What is known of libraries and projects: plain data read from the TOML models."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A way in: `name` as a person types it, `function` a function or a module (for its top level)."""

    name: str
    function: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens when one of the functions `any` is called or entered; names may hold `*`."""

    name: str
    title: str
    any: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registry:
    """Classes that a string or a table leads to.

    Members are the values of `variable` in the modules that match `modules`, or the entries of `table`, each made of a
    module (behind `prefix`) and a class at the positions `value`. `looked_up_by` are the functions that give a member,
    `returns` says as what: `class`, `instance` or `function`.
    """

    name: str
    variable: str
    modules: str
    table: str
    value: tuple[str, ...]
    prefix: str
    looked_up_by: tuple[str, ...]
    returns: str


@dataclass(frozen=True, slots=True)
class Callback:
    """A function outside the tree that runs a function handed to it.

    `argument` and `other`, a second spelling, are a keyword or a position in decimal; "" where there is none.
    `decorated` stands for the function that is decorated with `function` or with what it gives. `args` and `kwargs` are
    a keyword or a position that holds what the function is run with. Instead `args` may be `rest`, what follows it at
    the call, by position and by keyword, or `each`, an element of each of the other positional arguments. `kind` is the
    kind of the step, `when` is `now`, `later` or `joined`.
    """

    function: str
    argument: str
    kind: str
    args: str
    kwargs: str
    when: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Calling `call` on an instance or subclass of the outside class `cls` runs its methods `runs`.

    `later` are methods that run after the call has returned, with arguments of their own. `kind` is the kind of the
    step.
    """

    cls: str
    call: str
    runs: tuple[str, ...]
    later: tuple[str, ...] = ()
    kind: str = "dispatch"


@dataclass(frozen=True, slots=True)
class OutsideClass:
    """What is known of a class outside the tree: what its objects have, and which methods its constructor calls on them.

    `is_open`: they have more than that.
    """

    cls: str
    attributes: tuple[str, ...] = ()
    constructor_runs: tuple[str, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What calling an outside function gives: the outside name `gives`, as `get_context` gives `multiprocessing`."""

    function: str
    gives: str


@dataclass(frozen=True, slots=True)
class Pass:
    """A function outside the tree that gives back one of its arguments.

    `argument` and `other`, a second spelling, are a keyword or a position in decimal, or `self`, what the method was
    called on.
    """

    function: str
    argument: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class Alias:
    """A dotted prefix outside the tree, `name`, that stands for another, `means`; the longest prefix wins.

    Where both are the same the name stands for itself, although a shorter prefix has an alias.
    """

    name: str
    means: str


@dataclass(frozen=True, slots=True)
class Launch:
    """A class whose objects carry the launch options.

    `fields` are patterns of modules that hold more of its fields, `views` of functions whose result, or parts of it, have
    the same attributes.
    """

    cls: str
    fields: tuple[str, ...] = ()
    views: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldEdge:
    """An edge told by hand."""

    source: str
    target: str
    why: str


@dataclass(frozen=True, slots=True)
class Probe:
    """An outside function that gives an architecture value; `returns` says in which form."""

    function: str
    returns: str


@dataclass(frozen=True, slots=True)
class Architecture:
    """A GPU architecture; `machines` are sold under names that their device does not bear."""

    name: str
    capability: tuple[int, int]
    family: str
    devices: tuple[str, ...]
    shared_memory: int
    machines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlatformValue:
    """What a name is on a machine with GPUs of the architecture that is asked about.

    `value` is a constant, or `cls` the dotted name of the class of the tree that the name is an instance of. `is_called`
    tells whether calling the name gives the value.
    """

    name: str
    value: bool | int | float | str | None = None
    is_called: bool = False
    cls: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function outside the tree, or a package of them, that is built for some architectures only.

    It is the kernel that runs where all keyword arguments in `when` have these values.
    """

    name: str
    supports: tuple[str, ...]
    when: tuple[tuple[str, str], ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A function that is told which architectures something supports.

    `argument` is a keyword or position; `of` is `major` or `sm`; `form` is `list` or `least`; `missing` what an architecture
    meets that is not declared: `crash` or `excluded`.
    """

    function: str
    argument: str
    of: str
    form: str = "list"
    missing: str = "crash"


@dataclass(frozen=True, slots=True)
class NamedStore:
    """A method of an outside class that stores an attribute of its object: `name` is the argument that names it.

    `function` is `module.Class.method`; `name` a position, counted without the object, or a keyword.
    """

    function: str
    name: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project model, chosen when all modules in `detect` are in the tree."""

    name: str
    detect: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that holds for one tree: the models chosen for it, merged, each tuple sorted by its key.

    The key is what a later model wins by (`knowledge.schema`); architectures are sorted by capability.
    """

    projects: tuple[Project, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    events: tuple[Event, ...] = ()
    registries: tuple[Registry, ...] = ()
    callbacks: tuple[Callback, ...] = ()
    dispatches: tuple[Dispatch, ...] = ()
    results: tuple[Result, ...] = ()
    edges: tuple[ToldEdge, ...] = ()
    probes: tuple[Probe, ...] = ()
    architectures: tuple[Architecture, ...] = ()
    platform: tuple[PlatformValue, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    requirements: tuple[Requirement, ...] = field(default=(), repr=False)  # ids of solutions are made from the rest
    aliases: tuple[Alias, ...] = ()
    passes: tuple[Pass, ...] = ()
    launches: tuple[Launch, ...] = ()
    stores: tuple[NamedStore, ...] = ()
    outside_classes: tuple[OutsideClass, ...] = ()
