"""The group of all commands, and what becomes of every exception."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from codepath.cli.failures import INTERRUPTED, NO_ANSWER, READER_GONE, report_crash, report_error
from codepath.cli.options import closest
from codepath.cli.terminal import Terminal
from codepath.errors import CodepathError
from codepath.report.version import VERSION

_COMMANDS = "codepath.cli.commands"
_NAME = re.compile(r"[a-z][a-z-]*")
_COMPLETION = "_CODEPATH_COMPLETE"
_HELP = """Reads the source tree of an inference server, never runs it, and says which start-up
paths reach a function, under which guards and in which order."""
_EXAMPLES = """\b
Examples:
  codepath reach load_weights
      who reaches a function, from which entry points, under which guards
  codepath reach Runner.start --view tree --depth 6
      the same as an upside-down tree of callers
  codepath reach Cache.create --from worker_main --source server==1.4.2
      in a published release; `git:REV`, a wheel, a folder work as well
  codepath symbols '*weight*'
      find the name to ask about
  codepath graph --format jsonl -o calls.jsonl
      the whole call graph, one row a call and callee

\b
Exit status: 0 answered, 1 findings, 2 could not answer, 130 interrupted."""


class Commands(click.Group):
    """A group whose commands are the modules of `codepath.cli.commands`, imported when they are needed.

    Such a module holds its click command as `command`; an underscore in the module's name is a hyphen in the command's.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        from pkgutil import iter_modules

        names = (module.name for module in iter_modules(import_module(_COMMANDS).__path__))
        return sorted(name.replace("_", "-") for name in names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported now; None where there is none of that name."""
        if not _NAME.fullmatch(cmd_name):
            return None
        module = f"{_COMMANDS}.{cmd_name.replace('-', '_')}"
        try:
            command = import_module(module).command
        except ModuleNotFoundError as error:
            if error.name == module:
                return None
            raise
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name, or say which name is close."""
        name = args[0]
        if name.startswith("-") or ctx.resilient_parsing or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"No such command {name!r}.{closest(name, self.list_commands(ctx))}", ctx)

    def main(self, args: Sequence[str] | None = None, *others: Any, **more: Any) -> Any:
        """Run a command and raise SystemExit with codepath's own exit status."""
        import sys

        sys.exit(run(sys.argv[1:] if args is None else args))


@click.command(
    cls=Commands,
    name="codepath",
    help=_HELP,
    epilog=_EXAMPLES,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, "--version", "-V", prog_name="codepath", message="%(prog)s %(version)s")
def root() -> None:
    """Hold the commands."""


def run(args: Sequence[str]) -> int:
    """Run a command; return its exit status. Nothing but SystemExit from shell completion gets out."""
    if _COMPLETION in os.environ:
        click.Group.main(root, prog_name="codepath")
    terminal = Terminal()
    try:
        status = _invoke(list(args), terminal)
        terminal.finish()
    except (KeyboardInterrupt, click.Abort):
        status = _interrupted(terminal)
    except BrokenPipeError:
        terminal.abandon()
        status = READER_GONE
    except CodepathError as error:
        report_error(error, terminal)
        status = NO_ANSWER
    except Exception as error:
        report_crash(error, terminal, list(args))
        status = NO_ANSWER
    return status


def _invoke(args: list[str], terminal: Terminal) -> int:
    try:
        with root.make_context("codepath", args, obj=terminal) as context:
            value = root.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        terminal.progress.clear()
        error.show()
        return NO_ANSWER
    return value if isinstance(value, int) else 0


def _interrupted(terminal: Terminal) -> int:
    terminal.progress.clear()
    kept = terminal.progress.parsed
    rest = f": {kept} files are kept; the next run goes on from there" if kept else ""
    terminal.remark(f"Stopped{rest}.")
    terminal.abandon()
    return INTERRUPTED
