"""Single files of a git revision, beside the Python files that `git.py` reads: configuration, rules, baselines."""

from __future__ import annotations

import os

from codepath.errors import SourceError
from codepath.source.repository import GitMissingError, find_work_tree, run_git

_MAX = 16 << 20  # bytes
_SHALLOW = "in GitHub Actions the checkout is shallow: add `fetch-depth: 0` to actions/checkout"


class Revision:
    """One revision of the repository around a folder; nothing is checked out.

    Attributes:
        repository: The top folder of the work tree.
        name: The revision as the user gave it.
        commit: Its id.
    """

    def __init__(self, folder: str, name: str) -> None:
        """Find a revision.

        Args:
            folder: An absolute folder.
            name: A revision; with `...` behind it, its merge base with HEAD.

        Raises:
            SourceError: There is no git, repository, revision or merge base.
        """
        self.name = name
        repository = find_work_tree(folder)
        if repository is None:
            help = ("compare two folders instead: codepath diff path/to/old path/to/new",)
            raise SourceError(f"`{folder}` is not in a git repository", path=folder, help=help)
        self.repository = repository
        self.commit = self._commit(name)

    def _commit(self, name: str) -> str:
        plain = name.removesuffix("...")
        if not plain or plain.startswith("-") or not plain.isprintable():
            raise SourceError(f"git does not know the revision `{name}`", path=name)
        status, output = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{plain}^{{commit}}")
        if status:
            raise SourceError(f"git does not know the revision `{plain}`", path=name, help=self._ways_out())
        if plain == name:
            return output.decode().strip()
        status, found = self._git("merge-base", output.decode().strip(), "HEAD")
        if status:
            raise SourceError(f"`{plain}` and HEAD have no common ancestor here", path=name, help=self._ways_out())
        return found.decode().strip()

    def _ways_out(self) -> tuple[str, ...]:
        shallow = self._git("rev-parse", "--is-shallow-repository")[1].strip() == b"true"
        names = self._git("for-each-ref", "--format=%(refname:short)", "refs/heads")[1]
        heads = names.decode("utf-8", "backslashreplace").split()
        shown = (f"branches here: {', '.join(heads[:10])}",) if heads else ()
        return ((_SHALLOW,) if shallow else ()) + shown

    def _git(self, *arguments: str) -> tuple[int, bytes]:
        try:
            status, output, _ = run_git(self.repository, *arguments)
        except GitMissingError:
            raise SourceError("git is not installed", path=self.repository) from None
        return status, output

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a regular file by its absolute path, None where the revision has none."""
        inner = self._inner(path)
        if inner is None:
            return None
        status, listed = self._git("ls-tree", "-z", "-l", "--full-tree", self.commit, "--", inner)
        head = listed.split(b"\t")[0].split()
        if status or len(head) != 4 or head[1] != b"blob" or head[0] == b"120000" or int(head[3]) > _MAX:
            return None
        status, data = self._git("cat-file", "blob", head[2].decode())
        return data if status == 0 else None

    def below(self, folder: str) -> list[str]:
        """Return the sorted absolute paths of the regular files below an absolute folder."""
        inner = self._inner(folder)
        if inner is None:
            return []
        where = [] if inner == "." else ["--", f"{inner}/"]
        status, listed = self._git("ls-tree", "-r", "-z", "--full-tree", self.commit, *where)
        found = []
        for entry in os.fsdecode(listed).split("\0") if status == 0 else ():
            head, _, path = entry.partition("\t")
            if path and head.split()[1] == "blob" and head.split()[0] != "120000":
                found.append(os.path.join(self.repository, path))
        return sorted(found)

    def _inner(self, path: str) -> str | None:
        inner = os.path.relpath(path, self.repository).replace(os.sep, "/")
        return None if inner == ".." or inner.startswith("../") else inner
