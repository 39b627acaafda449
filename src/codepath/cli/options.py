"""Options that commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from codepath.cli.outputs import read_outputs
from codepath.cli.session import Session

if TYPE_CHECKING:
    _Choice: TypeAlias = click.Choice[str]
else:
    _Choice = click.Choice

Callback: TypeAlias = Callable[..., Any]
_REPEATED = (
    ("source", "--source"),
    ("package_root", "--package-root"),
    ("python", "--python"),
    ("cache_dir", "--cache-dir"),
    ("include", "--include"),
    ("with_", "--with"),
)


class Word(_Choice):
    """One of some words; a wrong one is told which is close."""

    name = "word"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word, or fail."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = closest(str(value), [str(c) for c in self.choices])
            raise click.BadParameter(error.message + near, ctx, param) from None


def closest(word: str, words: Sequence[str]) -> str:
    """Return the question whether one of some words was meant, with a blank before it; "" where none is close."""
    from difflib import get_close_matches

    near = get_close_matches(word, words, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def split(values: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a repeated option, each of which may hold several with commas between."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def source_options(function: Callback) -> Callback:
    """Add the options that say which tree is asked."""
    options = [
        click.option(
            "--source",
            metavar="SPEC",
            envvar="CODEPATH_SOURCE",
            help="The tree: a folder, git:REV, git:REV@FOLDER, a .whl, .tar.gz or .zip, dist:NAME, NAME==VERSION. "
            "Default: the tree around the current folder.",
        ),
        click.option("--package-root", metavar="FOLDER", help="Where the names of modules begin."),
        click.option(
            "--include", multiple=True, metavar="WHAT", help="Also read `tests`, `vendored` (comma-separated)."
        ),
        click.option("--with", "with_", multiple=True, metavar="SPEC", help="A tree that names may come from."),
        click.option("--python", metavar="PATH", help="The interpreter whose environment dist:NAME means."),
        click.option("--no-respect-gitignore", is_flag=True, help="Also read files that git ignores."),
        click.option("--no-index", is_flag=True, help="Parse nothing; answer from what is stored."),
        click.option(
            "-j", "--workers", type=click.IntRange(min=1), envvar="CODEPATH_WORKERS", help="Processes that parse."
        ),
    ]
    return _apply(options, function)


def _apply(options: Sequence[Callable[[Callback], Callback]], function: Callback) -> Callback:
    for option in reversed(options):
        function = option(function)
    return function


def _common_options(formats: Sequence[str], function: Callback) -> Callback:
    options = [
        click.option("--format", type=Word(formats), help=f"Default: {formats[0]}."),
        click.option(
            "-o",
            "--output",
            "output",
            multiple=True,
            metavar="FILE|FMT:FILE",
            help="Write there instead; repeatable, - is standard output.",
        ),
        click.option(
            "--cache-dir",
            type=click.Path(file_okay=False, path_type=Path),
            envvar="CODEPATH_CACHE_DIR",
            help="The cache folder.",
        ),
        click.option(
            "--color",
            "colour",
            type=Word(["auto", "always", "never"]),
            default="auto",
            help="Default: auto, which heeds NO_COLOR, FORCE_COLOR and TERM.",
        ),
        click.option(
            "--progress",
            type=Word(["auto", "bar", "plain", "none"]),
            default="auto",
            envvar="CODEPATH_PROGRESS",
            help="Default: auto, a bar on a terminal, else a line every 10 s.",
        ),
        click.option("-q", "--quiet", is_flag=True, help="No progress, no remarks."),
    ]
    return _apply(options, function)


def session_options(*formats: str) -> Callable[[Callback], Callback]:
    """Add the options of all commands, and call the command with a `Session` as `session` in their place.

    Options of `source_options` and `only`, where the command has them, go into the session too. `formats` are what the
    command can write, its usual one first.
    """

    def decorate(function: Callback) -> Callback:
        @functools.wraps(function)
        def command(**values: Any) -> Any:
            return function(session=_session(values, formats), **values)

        return _common_options(formats, command)

    return decorate


def _session(values: dict[str, Any], formats: Sequence[str]) -> Session:
    """Take the shared options out of a command's values."""
    context = click.get_current_context()
    terminal = context.obj
    cache_dir = values["cache_dir"]
    quiet = values.pop("quiet")
    colour, progress = values.pop("colour"), values.pop("progress")
    terminal.configure(colour=colour, progress=progress, quiet=quiet, cache_dir=cache_dir)
    outputs = read_outputs(values.pop("output"), formats, values.pop("format"))
    again = _again(context)
    return Session(terminal, options_of(values), outputs, again, quiet)


def _again(context: click.Context) -> str:
    """Return the options of this command line that name the tree, as another command needs them."""
    from shlex import quote

    words: list[str] = []
    for name, flag in _REPEATED:
        if _was_typed(context, name):
            given = context.params[name]
            several = given if isinstance(given, tuple) else (given,)
            words.extend(f" {flag} {quote(str(value))}" for value in several)
    if _was_typed(context, "no_respect_gitignore"):
        words.append(" --no-respect-gitignore")
    return "".join(words)


def _was_typed(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def options_of(values: dict[str, Any]) -> Any:
    """Take out of a command's values what says which tree is asked and how; return it as `codepath.app.Options`."""
    from codepath.app import Options

    return Options(
        source=values.pop("source", None),
        cache_dir=values.pop("cache_dir"),
        package_root=values.pop("package_root", None),
        include=split(values.pop("include", ())),
        only=values.pop("only", None),
        no_index=values.pop("no_index", False),
        workers=values.pop("workers", None),
        respect_gitignore=not values.pop("no_respect_gitignore", False),
        python=values.pop("python", None),
        with_=tuple(values.pop("with_", ())),
    )
