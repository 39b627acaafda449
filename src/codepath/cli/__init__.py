"""The command line: click commands, exit codes, and all that is printed."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command of `sys.argv` and leave with its exit status."""
    try:
        from codepath.cli.root import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
