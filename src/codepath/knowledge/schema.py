"""What a knowledge file may say: the tables, their keys and how a table becomes data. The reference is made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from codepath.knowledge import kinds
from codepath.knowledge.kinds import Kind, WrongError
from codepath.model.knowledge import (
    Alias,
    Architecture,
    Callback,
    Dispatch,
    EntryPoint,
    Event,
    Kernel,
    Launch,
    NamedStore,
    OutsideClass,
    Pass,
    PlatformValue,
    Probe,
    Project,
    Registry,
    Requirement,
    Result,
    ToldEdge,
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table. `default` is the kept form of the value where the key is absent, `inner` the keys of a table."""

    name: str
    kind: Kind | None
    meaning: str
    required: bool = False
    default: Any = None
    inner: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a knowledge file.

    Attributes:
        name: As it is written.
        field: The field of `Knowledge` that holds its rows.
        identity: The keys by which a later row wins over an earlier one.
        attributes: The same in the data.
        build: Makes the data from the keys of a table; several where a key lists several names.
        is_list: Whether it is written `[[name]]`.
    """

    name: str
    field: str
    meaning: str
    keys: tuple[Key, ...]
    identity: tuple[str, ...]
    attributes: tuple[str, ...]
    build: Callable[[Row], list[Any]]
    is_list: bool = True

    @property
    def title(self) -> str:
        """The name with its brackets."""
        return f"[[{self.name}]]" if self.is_list else f"[{self.name}]"

    def key_of(self, row: object) -> tuple[str, ...]:
        """Return the identity of a row of data."""
        found = attrgetter(*self.attributes)(row)
        return found if isinstance(found, tuple) else (found,)


STEP_KINDS: Final = (
    "callback",
    "spawn-process",
    "spawn-thread",
    "executor",
    "task",
    "signal",
    "at-exit",
    "custom-op",
    "route",
)
_REMOVE = Key("remove", kinds.FLAG, "Takes away what an earlier file says under the same key.", default=False)


def _project(row: Row) -> list[Any]:
    return [Project(row["name"], row["detect"])]


def _entry_point(row: Row) -> list[Any]:
    return [EntryPoint(row["name"], row["function"])]


def _event(row: Row) -> list[Any]:
    return [Event(row["name"], row["title"] or row["name"], row["any"])]


def _registry(row: Row) -> list[Any]:
    members = row["members"]
    variable, table = members["variable"], members["table"]
    if bool(variable) == bool(table):
        raise WrongError("must have either `variable` and `modules` or `table` and `value`", ("members",))
    for one, other in (("variable", "modules"), ("modules", "variable"), ("table", "value"), ("value", "table")):
        if members[one] and not members[other]:
            raise WrongError(f"must have `{other}` beside `{one}`", ("members",))
    held = (variable, members["modules"], table, members["value"], members["prefix"])
    return [Registry(row["name"], *held, row["looked-up-by"], row["returns"])]


def _callbacks(row: Row) -> list[Any]:
    first, *others = row["argument"]
    when = row["when"] or ("now" if row["kind"] == "callback" else "later")
    rest = (row["kind"], row["args"], row["kwargs"], when, others[0] if others else "")
    return [Callback(function, first, *rest) for function in row["function"]]


def _dispatches(row: Row) -> list[Any]:
    if not row["runs"] and not row["later"]:
        raise WrongError("must name at least one method", ("runs",))
    rest = (row["call"], row["runs"], row["later"], row["kind"])
    return [Dispatch(cls, *rest) for cls in row["class"]]


def _outside_classes(row: Row) -> list[Any]:
    return [OutsideClass(cls, row["attributes"], row["constructor-runs"], row["open"]) for cls in row["class"]]


def _results(row: Row) -> list[Any]:
    return [Result(function, row["gives"]) for function in row["function"]]


def _launches(row: Row) -> list[Any]:
    return [Launch(cls, row["fields"], row["views"]) for cls in row["class"]]


def _edge(row: Row) -> list[Any]:
    return [ToldEdge(row["from"], row["to"], row["why"])]


def _probes(row: Row) -> list[Any]:
    return [Probe(function, row["returns"]) for function in row["function"]]


def _architecture(row: Row) -> list[Any]:
    rest = (row["family"], row["devices"], row["shared-memory"], row["machines"])
    return [Architecture(row["name"], row["capability"], *rest)]


def _platform(row: Row) -> list[Any]:
    if row["class"] and row["value"] is not None:
        raise WrongError("must have `value` or `class`, not both", ("class",))
    rest = (row["value"], row["called"], row["class"])
    return [PlatformValue(name, *rest) for name in row["name"]]


def _kernels(row: Row) -> list[Any]:
    return [Kernel(name, row["supports"], row["when"], row["why"]) for name in row["name"]]


def _requirements(row: Row) -> list[Any]:
    rest = (row["argument"], row["of"], row["form"], row["missing"])
    return [Requirement(function, *rest) for function in row["function"]]


def _passes(row: Row) -> list[Any]:
    first, *others = row["argument"]
    return [Pass(function, first, others[0] if others else "") for function in row["function"]]


def _stores(row: Row) -> list[Any]:
    return [NamedStore(function, row["name"]) for function in row["function"]]


def _aliases(row: Row) -> list[Any]:
    return [Alias(name, row["means"] or name) for name in row["name"]]


_MEMBERS = (
    Key("variable", kinds.TEXT, "The module variable that holds a class or a list of classes.", default=""),
    Key("modules", kinds.PATTERN, "The modules that have the variable.", default=""),
    Key("table", kinds.NAME, "A dict of the tree whose values name classes.", default=""),
    Key("value", kinds.list_of(("module", "class")), "What the positions of a value of the dict are.", default=()),
    Key("prefix", kinds.TEXT, "What stands before the module, with its final dot.", default=""),
)

TABLES: Final[tuple[Table, ...]] = (
    Table(
        "project",
        "projects",
        "What the file is about. Without it the file holds for every tree.",
        (
            Key("name", kinds.TEXT, "The project's name.", required=True),
            Key("detect", kinds.NAMES, "The file holds only where all these modules are in the tree.", default=()),
        ),
        ("name",),
        ("name",),
        _project,
        is_list=False,
    ),
    Table(
        "entry-points",
        "entry_points",
        "A way in, beside those that are found: console scripts, `__main__`, process and thread targets.",
        (
            Key("name", kinds.TEXT, "The way in as a person types it.", required=True),
            Key("function", kinds.NAME, "The function, or a module for its top level.", required=True),
        ),
        ("name",),
        ("name",),
        _entry_point,
    ),
    Table(
        "events",
        "events",
        "Something that happens when one of some functions is called or entered.",
        (
            Key("name", kinds.TEXT, "The name as questions and rules say it.", required=True),
            Key("title", kinds.TEXT, "The name as text shows it; else `name`.", default=""),
            Key("any", kinds.PATTERNS, "The functions, in or outside the tree.", required=True),
        ),
        ("name",),
        ("name",),
        _event,
    ),
    Table(
        "registries",
        "registries",
        "Classes that a string or a table leads to.",
        (
            Key(
                "name",
                kinds.TEXT,
                "The registry's name. The assumption `model` means a member of `models`.",
                required=True,
            ),
            Key("members", None, "Where the members are.", required=True, inner=_MEMBERS),
            Key("looked-up-by", kinds.NAMES, "The functions that give a member.", default=()),
            Key(
                "returns",
                kinds.one_of(("class", "instance", "function")),
                "What they give, alone or in a tuple; else `class`.",
                default="class",
            ),
        ),
        ("name",),
        ("name",),
        _registry,
    ),
    Table(
        "callbacks",
        "callbacks",
        "A function outside the tree that runs a function handed to it.",
        (
            Key("function", kinds.ONE_OR_MORE, "The function outside, or a method as `Class.method`.", required=True),
            Key(
                "argument",
                kinds.ARGUMENTS,
                "The argument that is run. `decorated` is what is decorated with the function or with its result.",
                required=True,
            ),
            Key("kind", kinds.one_of(STEP_KINDS), "The kind of the step; else `callback`.", default="callback"),
            Key(
                "args",
                kinds.ARGUMENT,
                "The argument that holds the positional arguments it is run with. `rest` is all that follows it in the "
                "call; `each` is an element of each other positional argument.",
                default="",
            ),
            Key("kwargs", kinds.ARGUMENT, "The argument that holds the keyword arguments it is run with.", default=""),
            Key(
                "when",
                kinds.one_of(("now", "later", "joined")),
                "`now`: before the call returns; `later`: at any time after; `joined`: it has ended where its result "
                "is waited for. Else `now` for the kind `callback` and `later` for the others.",
                default="",
            ),
        ),
        ("function",),
        ("function",),
        _callbacks,
    ),
    Table(
        "dispatch",
        "dispatches",
        "Methods that run because a method of a class outside the tree is called.",
        (
            Key("class", kinds.ONE_OR_MORE, "The class outside the tree.", required=True),
            Key("call", kinds.TEXT, "The method that is called, `__call__` for the instance itself.", required=True),
            Key("runs", kinds.TEXTS, "The methods that run with the arguments of the call.", default=()),
            Key("later", kinds.TEXTS, "Methods that run after the call, with other arguments.", default=()),
            Key(
                "kind",
                kinds.one_of(("dispatch", *STEP_KINDS)),
                "The kind of the step; else `dispatch`.",
                default="dispatch",
            ),
        ),
        ("class", "call"),
        ("cls", "call"),
        _dispatches,
    ),
    Table(
        "outside-classes",
        "outside_classes",
        "What objects of a class outside the tree have; detectors are silent about classes below one that is not listed.",
        (
            Key("class", kinds.ONE_OR_MORE, "The class outside the tree.", required=True),
            Key("attributes", kinds.TEXTS, "The attributes that its objects have.", default=()),
            Key(
                "constructor-runs", kinds.TEXTS, "The methods that its constructor calls on the new object.", default=()
            ),
            Key("open", kinds.FLAG, "Whether its objects have more than these.", default=False),
        ),
        ("class",),
        ("cls",),
        _outside_classes,
    ),
    Table(
        "results",
        "results",
        "What calling a function outside the tree gives.",
        (
            Key("function", kinds.ONE_OR_MORE, "The function outside.", required=True),
            Key("gives", kinds.NAME, "The module, or the class of the instance, that it gives.", required=True),
        ),
        ("function",),
        ("function",),
        _results,
    ),
    Table(
        "passes",
        "passes",
        "A function outside the tree that gives back what it was given, or something that is called the same way.",
        (
            Key("function", kinds.ONE_OR_MORE, "The function outside, or a method as `Class.method`.", required=True),
            Key(
                "argument",
                kinds.ARGUMENTS,
                "The argument that comes back. `self` is what the method was called on.",
                required=True,
            ),
        ),
        ("function",),
        ("function",),
        _passes,
    ),
    Table(
        "stores",
        "stores",
        "A method of a class outside the tree that stores an attribute of its object under a name it is given.",
        (
            Key("function", kinds.ONE_OR_MORE, "The method, as `Class.method`.", required=True),
            Key("name", kinds.ARGUMENT, "The argument that names the attribute.", required=True),
        ),
        ("function",),
        ("function",),
        _stores,
    ),
    Table(
        "aliases",
        "aliases",
        "A name outside the tree that stands for another; all that is said of the other holds for it.",
        (
            Key("name", kinds.ONE_OR_MORE, "The dotted name, alone or as the start of a longer one.", required=True),
            Key(
                "means", kinds.NAME, "What it stands for; else itself, although a shorter name is an alias.", default=""
            ),
        ),
        ("name",),
        ("name",),
        _aliases,
    ),
    Table(
        "launch",
        "launches",
        "A class whose objects carry the launch options through the program. Its methods that call `add_argument` define "
        "them, and its fields that are annotated as `Annotated[T, ...]`.",
        (
            Key("class", kinds.ONE_OR_MORE, "The class.", required=True),
            Key("fields", kinds.PATTERNS, "Modules whose classes hold more of its annotated fields.", default=()),
            Key(
                "views",
                kinds.PATTERNS,
                "Functions of the tree whose result has the same attributes, or parts that have them.",
                default=(),
            ),
        ),
        ("class",),
        ("cls",),
        _launches,
    ),
    Table(
        "edges",
        "edges",
        "A call that no analysis can see, told by hand. It stands at the calls of unknown target with the name of `to`.",
        (
            Key("from", kinds.NAME, "The caller.", required=True),
            Key("to", kinds.NAME, "The callee.", required=True),
            Key("why", kinds.TEXT, "Why it holds; shown with the step.", required=True),
        ),
        ("from", "to"),
        ("source", "target"),
        _edge,
    ),
    Table(
        "probes",
        "probes",
        "A function where a value that depends on the architecture is born.",
        (
            Key("function", kinds.ONE_OR_MORE, "The function, in or outside the tree.", required=True),
            Key(
                "returns",
                kinds.ARCHITECTURE_FORM,
                "The form of the value: `capability` is (major, minor), `sm` the two as one number such as 120, "
                "`sm-string` that number in a string, `properties` an object with `major`, `minor` and `name`; EXPR "
                "is a Python expression over `capability`, `major`, `minor` and `sm`.",
                required=True,
            ),
        ),
        ("function",),
        ("function",),
        _probes,
    ),
    Table(
        "architectures",
        "architectures",
        "A GPU architecture.",
        (
            Key("name", kinds.TEXT, "The name as `--target` says it.", required=True),
            Key("capability", kinds.CAPABILITY, "Its compute capability.", required=True),
            Key("family", kinds.TEXT, "The name of its generation.", required=True),
            Key("devices", kinds.TEXTS, "Words that tell it in the name that a driver gives the device.", default=()),
            Key(
                "machines", kinds.TEXTS, "Names of machines with such a device, which `--target` takes too.", default=()
            ),
            Key("shared-memory", kinds.INTEGER, "Bytes of shared memory that one block may use.", default=0),
        ),
        ("name",),
        ("name",),
        _architecture,
    ),
    Table(
        "platform",
        "platform",
        "What a name is on a machine with the GPU that `arch` asks about. Without `value` and `class` it is None.",
        (
            Key("name", kinds.ONE_OR_MORE, "The name, outside the tree or made up by a module of it.", required=True),
            Key("value", kinds.SCALAR, "Its value.", default=None),
            Key("called", kinds.FLAG, "Whether calling the name gives the value.", default=False),
            Key("class", kinds.TEXT, "The class of the tree that the name is an instance of.", default=""),
        ),
        ("name",),
        ("name",),
        _platform,
    ),
    Table(
        "kernels",
        "kernels",
        "A function outside the tree, or a package, that is built for some architectures only.",
        (
            Key("name", kinds.ONE_OR_MORE, "The function, or what its dotted name starts with.", required=True),
            Key("supports", kinds.TEXTS, "The names of the architectures that it is built for.", required=True),
            Key("when", kinds.WORDS, "Keyword arguments that make a call run it, with their values.", default=()),
            Key("why", kinds.TEXT, "Where that is written.", default=""),
        ),
        ("name",),
        ("name",),
        _kernels,
    ),
    Table(
        "requirements",
        "requirements",
        "A function that is told which architectures something supports, by a list or by the least one.",
        (
            Key("function", kinds.ONE_OR_MORE, "The function, a decorator too.", required=True),
            Key("argument", kinds.ARGUMENT, "The argument that says it.", required=True),
            Key("of", kinds.one_of(("major", "sm")), "What its numbers are: 9, or 90.", required=True),
            Key("form", kinds.one_of(("list", "least")), "Whether it lists all or names the least.", default="list"),
            Key("missing", kinds.one_of(("crash", "excluded")), "What others meet.", default="crash"),
        ),
        ("function",),
        ("function",),
        _requirements,
    ),
)
"""Every table, in the order of the reference."""

BY_NAME: Final = {table.name: table for table in TABLES}
REMOVE: Final = _REMOVE


def keys_of(table: Table) -> tuple[Key, ...]:
    """Return all keys that a table may have."""
    return (*table.keys, _REMOVE) if table.is_list else table.keys
