"""`codepath hooks`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.detect import DeadLookups
from codepath.model.hooks import HookAnswer, HooksAnswer
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath hooks get_layout_config --missing --family moe
  codepath hooks --missing --limit 20

\b
NAME is an attribute, or CLASS.NAME for that class and those below it.
--family keeps the classes whose name, module, base or parts they make contain a word;
base:WORD, module:WORD, makes:WORD and attribute:NAME ask for one of these.
--dead lists the look-ups that can never find anything: nothing in the tree gives the attribute."""


@click.command("hooks", short_help="Which classes lack an attribute that some code looks up.", epilog=_EXAMPLES)
@click.argument("name", required=False, shell_complete=completing.names)
@click.option("--missing", is_flag=True, help="Only the classes that lack it; without NAME, only hooks that some lack.")
@click.option("--family", metavar="WORD", default="", help="Only classes of a kind.")
@click.option(
    "--dead", is_flag=True, help="Look-ups of attributes that nothing in the tree gives; typing errors first."
)
@click.option("--all", "everything", is_flag=True, help="Every class and look-up in text.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Hooks listed without NAME.")
@source_options
@session_options("text", "json")
def command(
    session: Session, name: str | None, missing: bool, family: str, dead: bool, everything: bool, limit: int
) -> None:
    """Say who has the attribute NAME that code looks up by name, who lacks it, and what then happens."""
    if dead:
        _dead(session, name, missing or bool(family), everything)
        return
    query = {"command": "hooks", "name": name, "missing": missing, "family": family or None, "all": everything}
    if name is None:
        session.answer(
            {**query, "limit": limit},
            lambda workspace: workspace.hooks(family=family, missing=missing, limit=0 if everything else limit),
            {"text": _list_text, "json": _list_json},
        )
        return

    def text(answer: HookAnswer, view: View) -> Iterator[str]:
        from codepath.report.hooks_text import hook_text

        return hook_text(answer, view, missing=missing, everything=everything)

    session.answer(
        {**query, "limit": None},
        lambda workspace: workspace.hook(name, family=family, missing=missing),
        {"text": text, "json": _json},
    )


def _dead(session: Session, name: str | None, is_more_asked: bool, everything: bool) -> None:
    """Answer which look-ups can never find anything."""
    if is_more_asked:
        raise click.UsageError("--dead goes with neither --missing nor --family; ask for one of them")
    session.answer(
        {"command": "hooks", "name": name, "dead": True, "all": everything},
        lambda workspace: workspace.dead_lookups(name or ""),
        {"text": _dead_text, "json": _dead_json},
    )


def _dead_text(answer: DeadLookups, view: View) -> Iterator[str]:
    from codepath.report.dead_report import dead_text

    return dead_text(answer, view)


def _dead_json(answer: DeadLookups, view: View) -> Iterator[str]:
    from codepath.report.dead_report import dead_json

    return dead_json(answer, view)


def _json(answer: HookAnswer, view: View) -> Iterator[str]:
    from codepath.report.hooks_documents import hook_json

    return hook_json(answer, view)


def _list_text(answer: HooksAnswer, view: View) -> Iterator[str]:
    from codepath.report.hooks_text import hooks_text

    return hooks_text(answer, view)


def _list_json(answer: HooksAnswer, view: View) -> Iterator[str]:
    from codepath.report.hooks_documents import hooks_json

    return hooks_json(answer, view)
