"""The use cases `check` and `diff`: rules over one tree or two."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from codepath.app.checked import Checked
from codepath.app.config import Config, ReadFile, find_config, read_file
from codepath.app.ignoring import add_ignores
from codepath.app.opened import matches
from codepath.app.opening import open_workspace
from codepath.app.options import Options, Progress
from codepath.app.rules import Below, all_rules, in_revision, on_disk
from codepath.app.workspace import Workspace
from codepath.checks.about import about
from codepath.checks.baseline import NAME, baseline_text, read_baseline
from codepath.checks.changes import compare
from codepath.checks.findings import compared, known_of, new_ignores, sort_key, stale, suppressed
from codepath.checks.run import chosen, facts_of, partly, run_rules, without_local
from codepath.errors import CodepathError, ConfigError, QueryError
from codepath.model.answers import SourceInfo
from codepath.model.checks import (
    NEW_IGNORE,
    UNUSED_IGNORE,
    Change,
    CheckAnswer,
    DiffAnswer,
    Finding,
    Known,
    Rule,
    RuleRun,
)
from codepath.source import Revision, find_project

Note = Callable[[str], None]
_SHOWN_LINES = 200  # findings whose source lines are read
MOST_NEAR = 60
"""Files that differ between two trees, up to which `diff` looks around what differs for what rules of local kinds find."""
LEFT_OUT = f"more than {MOST_NEAR} files differ"


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is to be checked.

    Args:
        select: Patterns of the rules that run; all, or those of the configuration, where there are none.
        ignore: Patterns of the rules that do not.
        targets: Architectures in place of those that rules name.
        diff: The revision with which findings are compared, "" for none.
        config_from_head: Configuration, rules and baseline come from the tree, not from that revision.
        baseline: The file of known findings; None for the one that the configuration names, or the usual one if it is there.
        update: The baseline is written anew.
        prune: Entries that no longer occur are taken out of it.
        add_ignore: New findings are silenced by comments with this reason.
        symbols: For `diff`: functions that are watched in place of what rules watch.
        used_by: For `diff`: a tree; what its own files override, replace or call is watched.
        gate: For `diff`: its new findings decide, so that every rule runs, however much differs.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    diff: str = ""
    config_from_head: bool = False
    baseline: str | None = None
    update: bool = False
    prune: bool = False
    add_ignore: str | None = None
    symbols: tuple[str, ...] = ()
    used_by: str = ""
    gate: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """What a check goes by, and where that was read."""

    folder: str
    config: Config
    rules: tuple[Rule, ...]
    read: ReadFile


def settings_of(options: Options, revision: Revision | None = None) -> Settings:
    """Return the configuration and the rules that hold for a tree: of a revision, else of the disk.

    Raises:
        CodepathError: One of them is wrong.
    """
    folder = _folder(options.source)
    read: ReadFile = read_file
    below: Below = on_disk
    if revision is not None:
        read, below = in_revision(revision)
    config = find_config(Path(folder), read)
    if revision is not None and options.source is None and config.source is None:
        folder = find_project(folder)
    return Settings(folder, config, all_rules(config, find_project(folder), read, below), read)


def _folder(source: str | None) -> str:
    here = source if source is not None and os.path.isdir(source) else "."
    return os.path.abspath(here)


def check(
    options: Options, request: CheckRequest, progress: Progress | None, note: Note
) -> tuple[CheckAnswer, SourceInfo, str]:
    """Run rules over a tree; return the answer, the tree, and where its files lie below the top of the repository.

    Raises:
        CodepathError: It could not be checked.
    """
    revision = Revision(_folder(options.source), request.diff) if request.diff else None
    settings = settings_of(options, None if request.config_from_head else revision)
    config = settings.config
    rules, built_in = chosen(
        settings.rules,
        request.select or config.select,
        request.ignore if request.select else (*request.ignore, *config.ignore),
    )
    known, path = _baseline(settings, request)
    with ExitStack() as stack:
        head = stack.enter_context(open_workspace(options, progress, note, config))
        base = None
        if revision is not None:
            spec = f"git:{revision.commit}@{_tree_folder(options, config)}"
            base = stack.enter_context(open_workspace(replace(options, source=spec), progress, note, config))
        answer = _check(head, base, rules, built_in, settings.rules, request, known)
        head.without_needless_calls()
        if options.only is not None:
            inside = tuple(f for f in answer.findings if matches(f.place.function, options.only))
            answer = replace(answer, findings=inside, stale=())
        commit = revision.commit if revision is not None else ""
        answer = replace(answer, base=request.diff, commit=commit, baseline=path)
        if request.add_ignore is not None:
            note(_silenced(head, answer.findings, request.add_ignore))
        return _kept(answer, request, path), head.source, head.repository_prefix


def _tree_folder(options: Options, config: Config) -> str:
    """Return the absolute folder of the tree on the disk."""
    if options.source is not None:
        if not os.path.isdir(options.source):
            help = ("codepath diff compares any two trees",)
            raise QueryError(f"--diff compares a folder with its repository, and `{options.source}` is none", help=help)
        return os.path.abspath(options.source)
    if config.source is not None and config.path is not None:
        return str(config.path.parent / config.source)
    return find_project(os.path.abspath("."))


def _check(
    head: Workspace,
    base: Workspace | None,
    rules: Sequence[Rule],
    built_in: frozenset[str],
    every: Sequence[Rule],
    request: CheckRequest,
    known: Sequence[Known],
) -> CheckAnswer:
    projects = _projects(head)
    if base is not None:
        tree, before = head.checked_beside(base, request.targets)
    else:
        tree, before = head.checked(request.targets), None
    found, runs = run_rules(rules, tree, projects, before)
    ran = frozenset(run.id for run in runs if run.state == "ran")
    if before is not None:
        ran -= partly(rules, tree, before)
    comments = tree.comments()
    findings = suppressed(found, comments, ran, frozenset(r.id for r in every))
    findings = [f for f in findings if f.rule != UNUSED_IGNORE or UNUSED_IGNORE in built_in]
    there = {k.fingerprint for k in known}
    if base is not None and before is not None:
        telling = {finding.rule for finding in found}
        old, _ = run_rules([rule for rule in rules if rule.id in telling], before, _projects(base))
        old_comments = before.comments()
        old += list(suppressed([], old_comments, frozenset(), frozenset(r.id for r in every)))
        there |= {f.fingerprint for f in old}
        if NEW_IGNORE in built_in:
            findings += new_ignores(comments, old_comments)
    findings = compared(findings, frozenset(there))
    return CheckAnswer(
        findings=tuple(_with_lines(sorted(findings, key=sort_key), tree)),
        runs=tuple(runs),
        rules=tuple(rules),
        known=len(known),
        stale=stale(known, findings, ran),
        changed=_changed(head, base) if base is not None else 0,
        parsed=head.parsed + (base.parsed if base is not None else 0),
    )


def _projects(workspace: Workspace) -> frozenset[str]:
    return frozenset(project.name for project in workspace.knowledge.projects)


def _changed(head: Workspace, base: Workspace) -> int:
    old, new = base.content, head.content
    return sum(1 for path in {*old, *new} if old.get(path) != new.get(path))


def _with_lines(findings: Sequence[Finding], tree: Checked) -> Iterator[Finding]:
    """Give the findings that text shows their source lines."""
    shown = 0
    for finding in findings:
        if finding.status == "new" and shown < _SHOWN_LINES:
            shown += 1
            places = (finding.place, *(n.place for n in finding.notes))
            yield replace(finding, lines=tuple(tree.line(p.file, p.line) for p in places))
        else:
            yield finding


# --- baselines -------------------------------------------------------------------------------------------------------


def _baseline(settings: Settings, request: CheckRequest) -> tuple[tuple[Known, ...], str]:
    """Return the known findings and the file that holds them, as text shows it."""
    home = str(settings.config.path.parent) if settings.config.path is not None else find_project(settings.folder)
    named = request.baseline if request.baseline is not None else settings.config.baseline
    path = os.path.abspath(named) if named is not None else os.path.join(home, NAME)
    shown = os.path.relpath(path).replace(os.sep, "/")
    if request.baseline is None and os.path.relpath(path, home).split(os.sep)[0] == os.pardir:
        raise ConfigError("the configuration names a baseline outside of its own folder", path=shown)
    data = settings.read(Path(path))
    if data is None:
        if named is not None and not request.update:
            help = ("codepath check --update-baseline writes it",)
            raise ConfigError("there is no such baseline", path=shown, help=help)
        return (), shown
    if request.update:
        return (), shown
    return read_baseline(data, shown), shown


def _silenced(tree: Workspace, findings: Sequence[Finding], reason: str) -> str:
    """Write comments for the new findings of rules; return what is to be said of it."""
    if tree.folder is None or tree.source.spec.startswith("git:"):
        raise QueryError("comments can be written into a folder only", help=("--source FOLDER",))
    new = [f for f in findings if f.status == "new" and f.rule not in (UNUSED_IGNORE, NEW_IGNORE)]
    done = add_ignores(tree.folder, new, reason)
    left = f"; these took none: {', '.join(done.left_out[:10])}" if done.left_out else ""
    return f"ignores written: {done.comments}, in files: {done.files}{left}"


def _kept(answer: CheckAnswer, request: CheckRequest, path: str) -> CheckAnswer:
    """Write the baseline where that is asked; return what is then to be said."""
    if request.update:
        entries = known_of(answer.findings)
        _write(path, baseline_text(entries))
        findings = compared(answer.findings, frozenset(k.fingerprint for k in entries))
        return replace(answer, findings=tuple(findings), known=len(entries), stale=())
    if request.prune and answer.stale:
        gone = {k.fingerprint for k in answer.stale}
        data = read_file(Path(path))
        kept = [k for k in read_baseline(data or b"", path) if k.fingerprint not in gone]
        _write(path, baseline_text(kept))
        return replace(answer, known=len(kept), stale=())
    return answer


def _write(path: str, text: str) -> None:
    try:
        if os.path.islink(path):
            raise ConfigError("the baseline is a link, which is not followed", path=path)
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CodepathError(f"`{path}` cannot be written: {error.strerror or error}") from error


# --- two trees -------------------------------------------------------------------------------------------------------


def diff(
    options: Options, base: str, head: str, request: CheckRequest, progress: Progress | None, note: Note
) -> DiffAnswer:
    """Compare what rules watch and find in two trees."""
    with _opened(options, base, progress, note) as old, _opened(options, head, progress, note) as new:
        settings = settings_of(replace(options, source=head if os.path.isdir(head) else None))
        rules, _built_in = chosen(settings.rules, request.select, request.ignore)
        changed = _changed(new, old)
        left: list[RuleRun] = []
        if changed <= MOST_NEAR:
            after, before = new.checked_beside(old, request.targets)
        else:
            before, after = old.checked(request.targets), new.checked(request.targets)
            if not (request.gate or request.select):
                rules, left = without_local(rules, LEFT_OUT)
        symbols = request.symbols
        lost: list[Change] = []
        if request.used_by:
            used = _used(options, request.used_by, old, progress, note)
            lost = [*_gone(used, before, after)]
            symbols = (*symbols, *used)
        if symbols:
            rules, left = about(rules, symbols, after), []
        changes, same = compare(facts_of(rules, before, _projects(old)), facts_of(rules, after, _projects(new)))
        was, _ = run_rules(rules, before, _projects(old))
        now, runs = run_rules(rules, after, _projects(new), before)
        comments = after.comments()
        ran = frozenset(run.id for run in runs if run.state == "ran")
        now = compared(suppressed(now, comments, ran, frozenset(r.id for r in settings.rules)), _prints(was))
        now = [f for f in now if f.rule != UNUSED_IGNORE]
        gone = _prints(now)
        fixed = [replace(f, status="fixed") for f in was if f.fingerprint not in gone]
        findings = tuple(_with_lines(sorted([*now, *fixed], key=sort_key), after))
        changes = (*lost, *changes)
        every = (*runs, *left)
        return DiffAnswer(old.source, new.source, changes, same, findings, every, tuple(rules), changed)


def _used(options: Options, spec: str, base: Workspace, progress: Progress | None, note: Note) -> tuple[str, ...]:
    """Return the functions of a tree that the own files of another override, replace or call.

    Raises:
        QueryError: There are none.
    """
    with _opened(options, spec, progress, note) as other:
        used = base.used_by(other)
    if not used:
        help = ("its files are those that BASE has no module of; they are read as far as imports of BASE tell",)
        raise QueryError(
            f"nothing in `{spec}` overrides, replaces or calls a function of {base.source.spec}", help=help
        )
    return used


def _gone(used: Iterable[str], before: Checked, after: Checked) -> Iterator[Change]:
    """Yield the functions that one tree has and the other lacks under every name that would still find them."""
    for name in used:
        if not after.functions(name) and not after.functions(before.short(name)):
            place = before.place(name)
            yield Change(
                "path-lost", before.short(name), ("its definition",), (), (place,) if place is not None else ()
            )


def _prints(findings: Sequence[Finding]) -> frozenset[str]:
    return frozenset(f.fingerprint for f in findings)


@contextmanager
def _opened(options: Options, spec: str, progress: Progress | None, note: Note) -> Iterator[Workspace]:
    with open_workspace(replace(options, source=as_spec(spec)), progress, note) as workspace:
        yield workspace


def as_spec(word: str) -> str:
    """Return a SPEC for a word of `diff`: what is no path and no SPEC is a git revision."""
    ends = (".whl", ".zip", ".tar.gz", ".tgz")
    if os.path.exists(word) or word.startswith(("git:", "dist:")) or "==" in word or word.lower().endswith(ends):
        return word
    return f"git:{word}"
