"""`codepath siblings`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.siblings import MembersAnswer, SiblingsAnswer
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath siblings Worker.run_normal
  codepath siblings start_http start_grpc
  codepath siblings --family GroupHandle

\b
One F is compared with its siblings: overrides of the same method, functions that a caller takes in its place, names of the
same pattern, the same method of another version of the class. Several are compared with each other.
With --family, F is a class, an enumeration, a base, or a member of such a family; without F all families of which
some place names nearly all."""


@click.command("siblings", short_help="What functions that do the same job do differently.", epilog=_EXAMPLES)
@click.argument("names", metavar="[F]...", nargs=-1, shell_complete=completing.names)
@click.option(
    "--family", is_flag=True, help="Places that name members of a family one by one, and what they leave out."
)
@click.option("--all", "everything", is_flag=True, help="Every difference and place in text.")
@source_options
@session_options("text", "json")
def command(session: Session, names: tuple[str, ...], family: bool, everything: bool) -> None:
    """Say what some of the siblings of F call or store and others do not, the most surprising first."""
    query: dict[str, str | int | list[str] | None] = {
        "command": "siblings",
        "names": list(names),
        "family": family,
        "all": everything,
    }
    if family:
        session.answer(
            query, lambda workspace: workspace.members(names), {"text": _members_text, "json": _members_json}
        )
        return
    if not names:
        raise click.UsageError("name a function, or several that do the same job; --family asks without")
    session.answer(query, lambda workspace: workspace.siblings(names), {"text": _text, "json": _json})


def _text(answer: SiblingsAnswer, view: View) -> Iterator[str]:
    from codepath.report.siblings_report import siblings_text

    return siblings_text(answer, view)


def _json(answer: SiblingsAnswer, view: View) -> Iterator[str]:
    from codepath.report.siblings_report import siblings_json

    return siblings_json(answer, view)


def _members_text(answer: MembersAnswer, view: View) -> Iterator[str]:
    from codepath.report.members_report import members_text

    return members_text(answer, view)


def _members_json(answer: MembersAnswer, view: View) -> Iterator[str]:
    from codepath.report.members_report import members_json

    return members_json(answer, view)
