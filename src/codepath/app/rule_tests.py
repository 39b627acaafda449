"""The use case `rule test`: the examples of rules, checked in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from codepath.app.config import Config, find_config
from codepath.app.opened import Opened
from codepath.app.options import Options
from codepath.app.workspace import Workspace
from codepath.checks.examples import Example, examples, headings
from codepath.checks.rules import HEADINGS
from codepath.checks.run import run_rules
from codepath.errors import SourceError
from codepath.extract.version import EXTRACTOR_VERSION
from codepath.model.checks import Rule
from codepath.source import SourceFile, SourceTree, content_key
from codepath.store import Store


@dataclass(frozen=True, slots=True)
class Tested:
    """What became of an example: `line` is where it starts in rule.md, `problems` are sentences; 0 for the document."""

    rule: str
    line: int
    problems: tuple[str, ...]


class TextReader:
    """Gives the bytes of files that are held in memory."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def __call__(self, path: str) -> bytes:
        """Return the bytes of a file."""
        if path not in self._files:
            raise SourceError(f"there is no file `{path}` in the example", path=path)
        return self._files[path].encode()

    def close(self) -> None:
        """Release nothing."""


def test_rule(rule: Rule) -> Iterator[Tested]:
    """Yield what became of each example of a rule, and what its document lacks."""
    found = list(examples(rule.document, rule.id))
    problems = [f"the heading `## {name}` is missing" for name in HEADINGS if name not in headings(rule.document)]
    if not any(e.found for e in found):
        problems.append(f"no example has a `# finding: {rule.id}`")
    if not any(e.fine for e in found):
        problems.append(f"no example has a `# ok: {rule.id}`")
    yield Tested(rule.id, 0, tuple(problems))
    for example in found:
        yield Tested(rule.id, example.line, tuple(_problems(rule, example)))


test_rule.__test__ = False  # type: ignore[attr-defined]


def _problems(rule: Rule, example: Example) -> Iterable[str]:
    with ExitStack() as stack:
        tree = stack.enter_context(in_memory(example.files)).checked(())
        base = stack.enter_context(in_memory(example.before)).checked(()) if example.before else None
        found, runs = run_rules([rule], tree, frozenset([rule.applies_to]), base)
    places = {(f.place.file, f.place.line): f.message for f in found}
    for file, line in example.found:
        if (file, line) not in places:
            why = f" ({runs[0].reason})" if runs[0].reason else ""
            yield f"{file}:{line}: a finding is expected, and there is none{why}"
    for (file, line), message in sorted(places.items()):
        if (file, line) not in example.found:
            yield f"{file}:{line}: no finding is expected, and there is one: {message}"


def in_memory(files: dict[str, str]) -> Workspace:
    """Return a tree of texts by path, with a store in memory; a `codepath.toml` among them is its configuration."""
    python = {path: text for path, text in files.items() if path.endswith(".py")}
    config = (
        find_config(Path("/example"), lambda path: _config_of(files, path)) if len(python) < len(files) else Config()
    )
    tree = SourceTree(
        spec="example",
        root="",
        files=tuple(SourceFile(path, content_key(text.encode())) for path, text in sorted(python.items())),
        read_with=TextReader(python),
    )
    store = Store.open(None, extractor_version=EXTRACTOR_VERSION)
    return Workspace(Opened(tree, store, Options(workers=1), None, config))


def _config_of(files: dict[str, str], path: Path) -> bytes | None:
    inside = path.parent == Path("/example")
    return files[path.name].encode() if inside and path.name in files else None
