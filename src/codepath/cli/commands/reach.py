"""`codepath reach`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from codepath.cli import completing
from codepath.cli.assuming import assume_options
from codepath.cli.options import Word, session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import ReachAnswer
from codepath.model.assumptions import Said
from codepath.model.requests import ReachRequest
from codepath.report.reach_text import is_reached, reach_text
from codepath.report.view import QueryValue, View

if TYPE_CHECKING:
    from codepath.app import Workspace

_EXAMPLES = """\b
Examples:
  codepath reach load_weights
  codepath reach Runner.start --from worker_main --event load_weights --assume is_draft=False

\b
TARGET is a short, qualified or full dotted name, or path.py:LINE."""


@click.command("reach", short_help="Which paths reach a function, under which guards.", epilog=_EXAMPLES)
@click.argument("target", shell_complete=completing.names)
@completing.from_option
@click.option(
    "--via", metavar="PLACES", help="Only paths through these: names or path.py:LINE, outermost first, with commas."
)
@click.option("--paths", type=click.IntRange(min=1), default=1, show_default=True, help="Paths shown for each group.")
@click.option("--all", "all_paths", is_flag=True, help="Paths that together pass every step on some way.")
@click.option(
    "--group-by",
    type=Word(["entry", "guard", "module"]),
    default="entry",
    show_default=True,
    help="What makes paths one group.",
)
@click.option(
    "--event",
    metavar="NAME",
    help="Say the order relative to this event of the project, or function. Default: CUDA graph capture.",
)
@click.option("--group", type=click.IntRange(min=1), help="Show the paths of the group of this number alone.")
@click.option("--full", is_flag=True, help="Show every hop of long paths.")
@click.option("--calls", is_flag=True, help="TARGET may be outside the tree: which paths reach calls of it.")
@click.option("--interactive", is_flag=True, help="Where a name means several things, ask which (on a terminal).")
@click.option("--all-matches", is_flag=True, help="Where TARGET names several things, ask about all of them.")
@click.option(
    "--view", "shape", type=Word(["paths", "tree"]), default="paths", show_default=True, help="How text is laid out."
)
@click.option("--depth", type=click.IntRange(min=1), default=8, show_default=True, help="Levels of the tree.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 where TARGET is not reached.")
@assume_options
@source_options
@session_options("text", "json")
def command(
    session: Session,
    target: str,
    start: str | None,
    via: str | None,
    paths: int,
    all_paths: bool,
    group_by: str,
    group: int | None,
    full: bool,
    calls: bool,
    interactive: bool,
    all_matches: bool,
    event: str | None,
    shape: str,
    depth: int,
    exit_code: bool,
    said: Said,
) -> int:
    """Say which paths reach TARGET from the entry points, and under which guards."""

    def text(answer: ReachAnswer, view: View) -> Iterator[str]:
        if shape == "paths" or not answer.incoming:
            return reach_text(answer, view)
        from codepath.report.tree_text import tree_text

        return tree_text(answer, view, depth=depth)

    request = ReachRequest(target, start, via, paths, all_paths, group_by, all_matches, calls, group, event, said)
    query: dict[str, QueryValue] = {
        "command": "reach",
        "target": target,
        "from": start,
        "via": via,
        "paths": paths,
        "all": all_paths,
        "group_by": group_by,
        "all_matches": all_matches,
        "event": event,
        "assume": list(said.assume),
        "launch_args": said.launch_args,
        "launch_defaults": said.launch_defaults,
        "calls": calls,
        "group": group,
        "full": full,
    }

    def ask(workspace: Workspace, meant: Mapping[str, str]) -> ReachAnswer:
        named = meant.get(target, target)
        begun = meant.get(start, start) if start is not None else None
        query.update({"target": named, "from": begun})
        return workspace.reach(replace(request, target=named, start=begun))

    def asked(workspace: Workspace) -> ReachAnswer:
        if not interactive:
            return ask(workspace, {})
        from codepath.cli.choosing import chosen

        return chosen(lambda meant: ask(workspace, meant), session.terminal)

    answer = session.answer(query, asked, {"text": text, "json": _json})
    return 1 if exit_code and not is_reached(answer) else 0


def _json(answer: ReachAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import reach_json

    return reach_json(answer, view)
