"""How git is called: never with anything that the configuration of a strange repository could make it run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),  # a partial clone would fetch, with transports that its configuration names
    "--no-pager",
    "--no-optional-locks",
    "--no-replace-objects",
)
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_COMMON_DIR")


class GitMissingError(Exception):
    """There is no git to run."""


def git_command(folder: str, arguments: Sequence[str]) -> list[str]:
    """Return the command line that runs git in a folder."""
    return ["git", *_SAFE, "-C", folder, *arguments]


def git_environment() -> dict[str, str]:
    """Return an environment in which git looks at the folder it is told, also when a hook of a repository runs us."""
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    return {**kept, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def run_git(folder: str, *arguments: str) -> tuple[int, bytes, str]:
    """Run git in a folder and return its exit status, output and error text.

    Raises:
        GitMissingError: git is not installed.
    """
    command = git_command(folder, arguments)
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, env=git_environment(), check=False
        )
    except OSError as error:
        raise GitMissingError from error
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()


def find_work_tree(folder: str) -> str | None:
    """Return the nearest folder, from an absolute one upwards, that holds a `.git` folder or file."""
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def list_work_tree(folder: str) -> list[str] | None:
    """Return the sorted paths below a folder that git tracks or does not ignore, relative to it; None if it cannot."""
    try:
        status, output, _ = run_git(folder, "ls-files", "-z", "-co", "--exclude-standard")
    except GitMissingError:
        return None
    return sorted(set(os.fsdecode(output).split("\0")) - {""}) if status == 0 else None


def ignores(folder: str) -> bool:
    """Return whether git ignores a whole folder."""
    try:
        return run_git(folder, "check-ignore", "-q", ".")[0] == 0
    except GitMissingError:
        return False
