"""`codepath diff`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options, split
from codepath.cli.outputs import check_writable
from codepath.cli.session import Query, Session
from codepath.model.checks import SEVERITIES, DiffAnswer
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath diff v1.4 v1.5
  codepath diff server==1.4.2 server==1.5.0
  codepath diff path/to/old path/to/new --symbols set_layout,init_graphs
  codepath diff main HEAD --gate
  codepath diff server==1.4.2 server==1.5.0 --used-by path/to/plug-in

\b
BASE and HEAD are SPECs; a word that is no path and no SPEC is a git revision. Of rules that look for faults without being told
names, such as unset-read, findings are compared where few files differ, else with --gate or --select."""


@click.command("diff", short_help="What changed between two trees in what the rules watch.", epilog=_EXAMPLES)
@click.argument("base")
@click.argument("head")
@click.option(
    "--symbols", multiple=True, metavar="NAME", help="Watch these functions instead; limits the answer to them."
)
@click.option(
    "--used-by",
    metavar="SPEC",
    default="",
    help="Only what the own files of a plug-in or fork override, replace or call.",
)
@click.option(
    "--select", multiple=True, metavar="RULE", shell_complete=completing.rules, help="Only what these rules watch."
)
@click.option(
    "--ignore", multiple=True, metavar="RULE", shell_complete=completing.rules, help="Not what these rules watch."
)
@click.option("--target", "targets", multiple=True, metavar="ARCH", help="Architectures in place of those of rules.")
@click.option("--gate", is_flag=True, help="Exit with 1 on a new finding of severity error or warning.")
@click.option("--all", "everything", is_flag=True, help="Every change in text.")
@source_options
@session_options("text", "json", "sarif", "github")
def command(
    session: Session,
    base: str,
    head: str,
    symbols: tuple[str, ...],
    used_by: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    targets: tuple[str, ...],
    gate: bool,
    everything: bool,
) -> int:
    """Compare two trees: calls and guards of watched functions, orders, None flows, hooks, architectures, findings."""
    from codepath.app.checking import CheckRequest, as_spec, diff

    check_writable(session.outputs)
    request = CheckRequest(
        select=split(select),
        ignore=split(ignore),
        targets=split(targets),
        symbols=split(symbols),
        used_by=used_by,
        gate=gate,
    )
    answer = diff(session.options, base, head, request, session.terminal.progress, session.terminal.note)
    query: Query = {
        "command": "diff",
        "base": as_spec(base),
        "head": as_spec(head),
        "select": list(request.select),
        "ignore": list(request.ignore),
        "target": list(request.targets),
        "symbols": list(request.symbols),
        "used_by": used_by or None,
    }
    session.write(lambda format, view: _report(answer, format, view, everything), query, answer.head)
    failing = SEVERITIES[:2]
    return 1 if gate and any(f.status == "new" and f.severity in failing for f in answer.findings) else 0


def _report(answer: DiffAnswer, format: str, view: View, everything: bool) -> Iterator[str]:
    if format == "json":
        from codepath.report.check_json import diff_json

        return diff_json(answer, view)
    if format == "sarif":
        from codepath.report.sarif import sarif_text

        return sarif_text([f for f in answer.findings if f.status != "fixed"], answer.rules, answer.head, "")
    if format == "github":
        from codepath.report.github import github_text

        return github_text(answer.findings, "")
    from codepath.report.diff_text import diff_text

    return diff_text(answer, view, everything=everything)
