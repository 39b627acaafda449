"""`codepath check`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import Word, session_options, source_options, split
from codepath.cli.outputs import check_writable
from codepath.cli.session import Session
from codepath.errors import CodepathError
from codepath.model.checks import CheckAnswer
from codepath.report.check_text import check_text, concise_text, grouped_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath check
  codepath check --diff origin/main... --format github
  codepath check --select arch-table-gap,arch-branch-gap --target sm120
  codepath check --update-baseline

\b
--diff REV shows what REV did not have; configuration, rules and baseline are then those of REV.
REV... is the merge base with HEAD. `# codepath: ignore[RULE] reason` silences a rule for a statement."""
_TEXTS = {"text": check_text, "concise": concise_text, "grouped": grouped_text}


@click.command("check", short_help="Check the tree, or what a branch changes, against rules.", epilog=_EXAMPLES)
@click.option("--diff", metavar="REV", default="", help="Only findings that a revision does not have.")
@click.option(
    "--select", multiple=True, metavar="RULE", shell_complete=completing.rules, help="Only these rules; `*` is allowed."
)
@click.option("--ignore", multiple=True, metavar="RULE", shell_complete=completing.rules, help="Not these rules.")
@click.option("--target", "targets", multiple=True, metavar="ARCH", help="Architectures in place of those of rules.")
@click.option(
    "--fail-on",
    type=Word(["error", "warning", "info"]),
    default="warning",
    show_default=True,
    help="The least severity that fails.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--strict", is_flag=True, help="Exit with 2 where a file could not be read.")
@click.option("--baseline", metavar="FILE", help="Known findings. Default: codepath-baseline.json, where it is there.")
@click.option("--update-baseline", "update", is_flag=True, help="Write today's findings there.")
@click.option("--prune-baseline", "prune", is_flag=True, help="Take out what no longer occurs.")
@click.option("--error-stale-baseline", "stale", is_flag=True, help="Exit with 1 where an entry no longer occurs.")
@click.option("--add-ignore", metavar="REASON", help="Silence what is new: write comments into the files.")
@click.option(
    "--config-from",
    metavar="head|base",
    type=Word(["head", "base"]),
    default="base",
    help="With --diff: whose configuration, rules and baseline hold. Default: base.",
)
@click.option("--only", metavar="PATTERN", help="Only findings in functions that match: `*` in a part, `**` across.")
@click.option("--all", "everything", is_flag=True, help="In text also older and suppressed findings.")
@source_options
@session_options("text", "concise", "grouped", "json", "sarif", "github", "gitlab", "markdown")
def command(
    session: Session,
    diff: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    targets: tuple[str, ...],
    fail_on: str,
    exit_zero: bool,
    strict: bool,
    baseline: str | None,
    update: bool,
    prune: bool,
    stale: bool,
    add_ignore: str | None,
    config_from: str,
    everything: bool,
) -> int:
    """Run the rules over a tree and list what they find."""
    from codepath.app.checking import CheckRequest, check

    if diff and (update or prune):
        raise click.UsageError("A baseline is written for a whole tree: leave out --diff.")
    check_writable(session.outputs)
    request = CheckRequest(
        select=split(select),
        ignore=split(ignore),
        targets=split(targets),
        diff=diff,
        config_from_head=config_from == "head",
        baseline=baseline,
        update=update,
        prune=prune,
        add_ignore=add_ignore,
    )
    answer, source, prefix = check(session.options, request, session.terminal.progress, session.terminal.note)
    query = {
        "command": "check",
        "diff": diff or None,
        "select": list(request.select),
        "ignore": list(request.ignore),
        "target": list(request.targets),
    }
    session.write(lambda format, view: _report(answer, format, view, prefix, everything), query, source)
    if update:
        session.terminal.note(f"wrote {answer.baseline}: {_counted(answer)}. Commit it.")
    if strict and source.skipped:
        raise CodepathError(f"{len(source.skipped)} files could not be read (--strict); findings may be missing")
    return 0 if exit_zero or add_ignore is not None else _status(answer, fail_on, stale)


def _counted(answer: CheckAnswer) -> str:
    from codepath.model.checks import SEVERITIES

    counts = {s: sum(1 for f in answer.findings if f.severity == s and f.status == "existing") for s in SEVERITIES}
    words = ", ".join(f"{number} {severity}" for severity, number in counts.items() if number)
    noun = "finding" if answer.known == 1 else "findings"
    return f"{answer.known} {noun}{f' ({words})' if words else ''}"


def _status(answer: CheckAnswer, fail_on: str, stale: bool) -> int:
    from codepath.model.checks import SEVERITIES

    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    is_bad = any(f.status == "new" and f.severity in failing for f in answer.findings)
    return 1 if is_bad or (stale and bool(answer.stale)) else 0


def _report(answer: CheckAnswer, format: str, view: View, prefix: str, everything: bool) -> Iterator[str]:
    if format == "json":
        from codepath.report.check_json import check_json

        return check_json(answer, view)
    if format == "sarif":
        from codepath.report.sarif import sarif_text

        return sarif_text(answer.findings, answer.rules, view.source, prefix)
    if format == "github":
        from codepath.report.github import github_text

        return github_text(answer.findings, prefix)
    if format == "gitlab":
        from codepath.report.gitlab import gitlab_text

        return gitlab_text(answer.findings, prefix)
    if format == "markdown":
        from codepath.report.check_markdown import check_markdown

        return check_markdown(answer, prefix)
    return _TEXTS[format](answer, view, everything=everything)
