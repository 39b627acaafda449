"""Where rules come from: those that are shipped, and the folders of the tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from codepath.app.config import Config, ReadFile, read_file
from codepath.checks.rules import read_rule
from codepath.errors import RuleError
from codepath.model.checks import Rule
from codepath.source import Revision

Below = Callable[[str], Iterable[str]]
"""Gives the files below a folder."""
_FILE = "rule.toml"
_MAX_RULES = 1000
_MAX_DEPTH = 4
_MAX_FILES = 10_000
_MAX_DOCUMENT = 1 << 20  # bytes
_DEFAULT = "queries"


@lru_cache(maxsize=1)
def shipped_rules() -> tuple[Rule, ...]:
    """Return the rules of the package, sorted by id.

    Raises:
        RuleError: They are not there: a check without them would pass.
    """
    folder = Path(__file__).parent.parent / _DEFAULT
    if not folder.is_dir():  # not installed: the folder at the top of the repository
        folder = Path(__file__).parents[3] / _DEFAULT
    found = sorted(_loaded(on_disk(str(folder)), read_file, _shown), key=lambda rule: rule.id)
    if not found:
        raise RuleError("the rules that come with codepath are missing", help=("install codepath again",))
    return tuple(found)


def _shown(path: str) -> str:
    return f"shipped/{os.path.basename(os.path.dirname(path))}/{_FILE}"


def applying(config: Config, folder: str | Path | None, projects: Collection[str]) -> tuple[Rule, ...]:
    """Return the rules that hold for a tree of some projects; the shipped ones alone where its own cannot be read."""
    return tuple(rule for rule in _known(config, folder) if rule.applies_to == "any" or rule.applies_to in projects)


def on_and_off(config: Config, folder: str | Path | None, projects: Collection[str]) -> tuple[int, int]:
    """Return how many rules `check` runs over a tree of some projects by its configuration, and how many more there are."""
    from codepath.checks.run import is_chosen

    run = [r for r in applying(config, folder, projects) if is_chosen(r.id, config.select, config.ignore)]
    return len(run), len(_known(config, folder)) - len(run)


def _known(config: Config, folder: str | Path | None) -> tuple[Rule, ...]:
    try:
        return shipped_rules() if folder is None else all_rules(config, str(folder), read_file, on_disk)
    except RuleError:
        return shipped_rules()


def all_rules(config: Config, folder: str, read: ReadFile, below: Below) -> tuple[Rule, ...]:
    """Return the shipped rules and those of a tree, which win by id, sorted.

    Args:
        config: Names the folders of rules; `queries` in `folder` where it does not.
        folder: The tree's folder.
        read: Gives a file.
        below: Gives the files below a folder.

    Raises:
        RuleError: A rule file is wrong, or two have one id.
    """
    folders = config.queries if config.queries is not None else (os.path.join(_home(config, folder), _DEFAULT),)
    own: dict[str, Rule] = {}
    for name in folders:
        for rule in _loaded(below(name), read, _relative):
            if rule.id in own:
                raise RuleError(f"two rules have the id `{rule.id}`", path=f"{rule.origin}/{_FILE}")
            own[rule.id] = rule
    found = {rule.id: rule for rule in shipped_rules()} | own
    return tuple(found[name] for name in sorted(found))


def _home(config: Config, folder: str) -> str:
    return str(config.path.parent) if config.path is not None else folder


def _loaded(paths: Iterable[str], read: ReadFile, show: Callable[[str], str]) -> Iterator[Rule]:
    files = [path for path in sorted(paths) if os.path.basename(path) == _FILE]
    if len(files) > _MAX_RULES:
        raise RuleError(f"there are more than {_MAX_RULES} rules", path=os.path.dirname(files[0]))
    for path in files:
        text = read(Path(path))
        if text is not None:
            document = read(Path(path).with_name("rule.md")) or b""
            folder = os.path.basename(os.path.dirname(path))
            yield read_rule(text, show(path), folder, document[:_MAX_DOCUMENT].decode("utf-8", "replace"))


def on_disk(folder: str) -> list[str]:
    """Return the files below a folder, a few levels deep; links are not followed.

    Raises:
        RuleError: There are too many.
    """
    found: list[str] = []
    if os.path.islink(folder):
        return found
    for around, folders, names in os.walk(folder):
        if os.path.relpath(around, folder).count(os.sep) >= _MAX_DEPTH:
            folders.clear()
        found += [os.path.join(around, name) for name in names if not os.path.islink(os.path.join(around, name))]
        if len(found) > _MAX_FILES:
            raise RuleError(f"a folder of rules holds more than {_MAX_FILES:,} files", path=_relative(folder))
    return sorted(found)


def in_revision(revision: Revision) -> tuple[ReadFile, Below]:
    """Return how files of a revision are read and listed."""
    return (lambda path: revision.read(str(path)), revision.below)


def _relative(path: str) -> str:
    return os.path.relpath(path).replace(os.sep, "/")
