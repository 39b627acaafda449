"""Git revisions: read through git, never checked out."""

from __future__ import annotations

import pickle
import subprocess
from pathlib import Path

import pytest

from codepath.errors import SourceError

from .conftest import Open, commit, git, paths, write


def test_a_revision(repository: Path, opened: Open) -> None:
    write(
        repository, {"python/pkg/__init__.py": "old", "python/pkg/a.py": "1", "python/pyproject.toml": "", "README": ""}
    )
    commit(repository)
    git(repository, "tag", "v1")
    write(repository, {"python/pkg/a.py": "2", "python/pkg/b.py": ""})
    commit(repository)
    with opened("git:v1@repo") as tree:
        assert paths(tree) == ["python/pkg/__init__.py", "python/pkg/a.py"]
        assert tree.package_roots == ("python",)
        assert tree.read("python/pkg/a.py") == b"1"
        assert tree.files[1].key == "git:" + git(repository, "rev-parse", "v1:python/pkg/a.py").strip()
        assert pickle.loads(pickle.dumps(tree.reader()))("python/pkg/__init__.py") == b"old"
        assert (tree.root, tree.work_tree_top) == ("git:v1@repo", str(repository))
    assert git(repository, "status", "--porcelain") == ""


def test_a_package_in_a_revision_has_the_names_of_the_folder(repository: Path, opened: Open) -> None:
    write(repository, {"python/pkg/__init__.py": "", "python/pkg/srt/a.py": "", "top.py": ""})
    commit(repository)
    for spec in ("git:HEAD@repo/python/pkg", "git:main@repo/python"):
        tree = opened(spec)
        assert paths(tree) == ["pkg/__init__.py", "pkg/srt/a.py"]
        assert tree.module_name("pkg/srt/a.py") == "pkg.srt.a"
        assert paths(tree) == paths(opened(spec.partition("@")[2]))
    assert paths(opened("git:HEAD@python", cwd=repository)) == ["pkg/__init__.py", "pkg/srt/a.py"]


def test_the_revision_of_the_working_directory_s_project(repository: Path, opened: Open) -> None:
    write(repository, {"old.py": ""})
    commit(repository)
    write(repository, {"python/pyproject.toml": "", "python/m.py": "", "old.py": ""})
    commit(repository)
    cwd = repository / "python"
    assert paths(opened("git:HEAD", cwd=cwd)) == paths(opened(None, cwd=cwd)) == ["m.py"]
    assert paths(opened("git:HEAD~1", cwd=cwd)) == ["old.py"], "the project is newer than the revision"
    assert paths(opened("git:@", cwd=cwd)) == ["m.py"]


def test_revisions_with_an_at_sign(repository: Path, opened: Open) -> None:
    write(repository, {"sub/a.py": ""})
    commit(repository)
    git(repository, "branch", "who@sub")
    for spec in ("git:HEAD@{0}", "git:who@sub", "git:@", "git:who@sub@sub", "git:HEAD@{0}@sub"):
        assert [Path(path).name for path in paths(opened(spec, cwd=repository))] == ["a.py"]


def test_a_folder_that_is_gone_from_the_disk(repository: Path, opened: Open) -> None:
    write(repository, {"gone/a.py": "", "stays.py": ""})
    commit(repository)
    (repository / "gone/a.py").unlink()
    (repository / "gone").rmdir()
    assert paths(opened("git:HEAD@gone", cwd=repository)) == ["a.py"]
    with pytest.raises(SourceError, match="there is no folder with Python files `never` in the revision"):
        opened("git:HEAD@never", cwd=repository)


def test_links_in_a_revision(repository: Path, opened: Open) -> None:
    write(repository, {"a.py": "1", "in/b.py": "2", "README": ""})
    targets = {
        "l.py": "a.py",
        "ll.py": "l.py",
        "twin": "in",
        "in/loop": "..",
        "up.py": "../x.py",
        "abs.py": "/etc/x.py",
    }
    for name, target in {**targets, "self.py": "self.py"}.items():
        (repository / name).symlink_to(target)
    commit(repository)
    with opened("git:HEAD@repo") as tree:
        assert paths(tree) == ["a.py", "in/b.py", "l.py", "ll.py", "twin/b.py"]
        assert (tree.read("ll.py"), tree.read("twin/b.py")) == (b"1", b"2")
    assert tree.skipped == (
        ("abs.py", "escapes the root"),
        ("in/loop", "symlink loop"),
        ("self.py", "symlink loop"),
        ("up.py", "escapes the root"),
    )


def test_odd_names_and_sizes(repository: Path, opened: Open) -> None:
    write(repository, {"ünï.py": "", "with\ttab.py": "", "new\nline.py": ""})
    with open(repository / "huge.py", "wb") as file:
        file.truncate(20 * 2**20 + 1)
    commit(repository)
    with opened("git:HEAD@repo") as tree:
        assert paths(tree) == ["new\nline.py", "with\ttab.py", "ünï.py"]
        assert [tree.read(path) for path in paths(tree)] == [b"", b"", b""]
    assert tree.skipped == (("huge.py", "larger than 20 MB"),)


def test_unknown_revision(repository: Path, opened: Open) -> None:
    write(repository, {"a.py": ""})
    commit(repository)
    git(repository, "branch", "kimi-runner")
    with pytest.raises(SourceError, match="git does not know the revision `origin/main`") as caught:
        opened("git:origin/main@repo")
    assert caught.value.help == ("branches here: kimi-runner, main",)
    with pytest.raises(SourceError) as caught:
        opened("git:kimi-runer@repo")
    assert caught.value.help[0] == "did you mean `kimi-runner`"
    for odd in ("-h", "--exec=x", "HEAD;x", "a b"):
        with pytest.raises(SourceError, match="git does not know the revision"):
            opened(f"git:{odd}", cwd=repository)


def test_unknown_revision_in_a_shallow_clone(repository: Path, opened: Open, tmp_path: Path) -> None:
    write(repository, {"a.py": ""})
    commit(repository)
    commit(repository)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    with pytest.raises(SourceError) as caught:
        opened("git:v9", cwd=tmp_path / "shallow")
    assert caught.value.help[0] == "in GitHub Actions the checkout is shallow: add `fetch-depth: 0` to actions/checkout"


def test_no_repository(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "plain", {"a.py": ""})
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SourceError, match="~/plain is not in a git repository") as caught:
        opened("git:HEAD@plain")
    assert caught.value.help == ("compare two folders instead: codepath diff path/to/old path/to/new",)


def test_no_git(repository: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repository, {"a.py": "", ".gitignore": "b.py", "b.py": ""})
    monkeypatch.setenv("PATH", "/nowhere")
    assert paths(opened("repo")) == ["a.py"], "the folder's .gitignore files are read without git"
    with pytest.raises(SourceError, match="git is not installed"):
        opened("git:HEAD@repo")


def test_a_bare_repository(repository: Path, opened: Open, tmp_path: Path) -> None:
    write(repository, {"a.py": "1"})
    commit(repository)
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    with opened("git:main@bare.git") as tree:
        assert (paths(tree), tree.read("a.py"), tree.work_tree_top) == (["a.py"], b"1", None)


def test_a_blob_that_is_missing(repository: Path, opened: Open) -> None:
    write(repository, {"a.py": "1", "b.py": "2"})
    commit(repository)
    with opened("git:HEAD@repo") as tree:
        blob = tree.files[0].key.removeprefix("git:")
        (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
        with pytest.raises(SourceError, match=r"`a.py` is not in this clone"):
            tree.read("a.py")
        assert tree.read("b.py") == b"2"


def test_one_process_serves_all_reads(repository: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repository, {f"m{number}.py": str(number) for number in range(50)})
    commit(repository)
    started: list[object] = []
    real = subprocess.Popen

    class Counting(real):  # type: ignore[misc, valid-type]
        def __init__(self, command: list[str], **options: object) -> None:
            started.append(command)
            super().__init__(command, **options)

    with opened("git:HEAD@repo") as tree:
        monkeypatch.setattr(subprocess, "Popen", Counting)
        assert [tree.read(path) for path in paths(tree)] == [path[1:-3].encode() for path in paths(tree)]
    assert len(started) == 1


def test_a_linked_work_tree(repository: Path, opened: Open, tmp_path: Path) -> None:
    write(repository, {"a.py": "", ".gitignore": "b.py"})
    commit(repository)
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"))
    write(tmp_path / "linked", {"b.py": ""})
    for spec in ("linked", "git:linked@linked"):
        tree = opened(spec)
        assert (paths(tree), tree.work_tree_top) == (["a.py"], str(tmp_path / "linked"))
