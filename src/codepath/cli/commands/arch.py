"""`codepath arch`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from codepath.cli.options import Word, session_options, source_options
from codepath.cli.session import Report, Session
from codepath.model.arch import MISSES, ArchAnswer, ExplainAnswer
from codepath.report.arch_text import arch_text, explain_text
from codepath.report.view import View

if TYPE_CHECKING:
    from codepath.app import Workspace

_SEVERITIES = ("error", "warning", "info")
_EXAMPLES = """\b
Examples:
  codepath arch --target sm120
  codepath arch --target sm121 --fail error
  codepath arch --explain is_hopper
  codepath arch --explain src/server/kernels.py:42

\b
A new GPU is an [[architectures]] table in codepath.toml, with its name, capability and shared memory."""


@click.command("arch", short_help="Which tables and branches miss a GPU architecture.", epilog=_EXAMPLES)
@click.option("--target", "targets", metavar="ARCH", multiple=True, help="sm120, 12.0 or a device; default: all known.")
@click.option("--explain", metavar="NAME|FILE:LINE", help="One construct, evaluated for each architecture.")
@click.option("--all", "everything", is_flag=True, help="In text also what misses no target.")
@click.option(
    "--fail", type=Word(_SEVERITIES), help="Exit with 1 where a target is missed with this severity or worse."
)
@source_options
@session_options("text", "json", "markdown", "sarif")
def command(session: Session, targets: tuple[str, ...], explain: str | None, everything: bool, fail: str | None) -> int:
    """Evaluate every table and branch that depends on the GPU for an architecture, beside its neighbours."""
    query = {"command": "arch", "target": ",".join(targets) or None, "explain": explain}
    if explain is not None:
        if any(output.format == "sarif" for output in session.outputs):
            raise click.UsageError("SARIF lists what misses an architecture: leave out --explain.")
        session.answer(
            query,
            lambda workspace: workspace.arch_explained(targets, explain),
            {"text": explain_text, "json": _explain_json, "markdown": _explain_markdown},
        )
        return 0

    def text(answer: ArchAnswer, view: View) -> Iterator[str]:
        return arch_text(answer, view, everything=everything)

    with session.open() as workspace:
        answer = workspace.arch(targets)
        reports = {"text": text, "json": _json, "markdown": _markdown, "sarif": _sarif(workspace)}
        session.write(lambda format, view: reports[format](answer, view), query, workspace.source)
    return 1 if fail is not None and _fails(answer, fail) else 0


def _sarif(workspace: Workspace) -> Report[ArchAnswer]:
    def report(answer: ArchAnswer, view: View) -> Iterator[str]:
        from codepath.app.arch_findings import arch_findings
        from codepath.report.sarif import sarif_text

        findings, rules = arch_findings(workspace, answer.targets)
        return sarif_text(findings, rules, view.source, workspace.repository_prefix)

    return report


def _fails(answer: ArchAnswer, fail: str) -> bool:
    allowed = _SEVERITIES[: _SEVERITIES.index(fail) + 1]
    return any(row.severity in allowed and any(row.verdict(t) in MISSES for t in answer.targets) for row in answer.rows)


def _json(answer: ArchAnswer, view: View) -> Iterator[str]:
    from codepath.report.arch_json import arch_json

    return arch_json(answer, view)


def _explain_json(answer: ExplainAnswer, view: View) -> Iterator[str]:
    from codepath.report.arch_json import explain_json

    return explain_json(answer, view)


def _explain_markdown(answer: ExplainAnswer, view: View) -> Iterator[str]:
    from codepath.report.arch_markdown import explain_markdown

    return explain_markdown(answer, view)


def _markdown(answer: ArchAnswer, view: View) -> Iterator[str]:
    from codepath.report.arch_markdown import arch_markdown

    return arch_markdown(answer, view)
