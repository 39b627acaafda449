"""`codepath graph`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from codepath.cli.options import Word, session_options, source_options
from codepath.cli.session import Query, Session
from codepath.report.view import View

if TYPE_CHECKING:
    from codepath.app import Workspace
    from codepath.model.answers import Step, Unresolved

_EXAMPLES = """\b
Examples:
  codepath graph --source server==1.4.2 -o calls.jsonl
  codepath graph -o calls.graphml          for Gephi, yEd or networkx
  codepath graph --unresolved --only 'server.workers.**'"""


@click.command("graph", short_help="The whole call graph, one row a call and callee.", epilog=_EXAMPLES)
@click.option(
    "--min-resolution",
    type=Word(["exact", "inferred", "family", "by-name"]),
    default="by-name",
    show_default=True,
    help="The least certain steps that are written.",
)
@click.option("--unresolved", is_flag=True, help="Write the call sites of unknown target instead.")
@click.option("--only", metavar="PATTERN", help="Only callers that match; * within a dotted part, ** across.")
@source_options
@session_options("jsonl", "json", "graphml")
def command(session: Session, min_resolution: str, unresolved: bool) -> None:
    """Write every step of the call graph, sorted, or every call site of unknown target."""
    if unresolved and any(output.format == "graphml" for output in session.outputs):
        raise click.UsageError("GraphML holds steps: --unresolved needs jsonl or json.")
    query: Query = {
        "command": "graph",
        "min_resolution": min_resolution,
        "unresolved": unresolved,
        "only": session.options.only,
    }
    with session.open() as workspace:

        def report(format: str, view: View) -> Iterator[str]:
            from codepath.report.documents import graph_json, graph_rows

            items = _items(workspace, min_resolution, unresolved)
            if format == "jsonl":
                return graph_rows(items)
            if format == "graphml":
                from codepath.analysis.exported import graphml

                return graphml(workspace.graph(min_resolution))
            first = next(iter(items), None)  # the tree is solved before its call sites are counted
            rest = chain([first], items) if first is not None else ()
            stats = workspace.status(False).stats
            return graph_json(rest, "unresolved" if unresolved else "steps", stats, view)

        session.write(report, query, workspace.source)


def _items(workspace: Workspace, min_resolution: str, unresolved: bool) -> Iterator[Step | Unresolved]:
    return workspace.unresolved() if unresolved else workspace.graph(min_resolution)
