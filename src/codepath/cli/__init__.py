"""The command line: click commands, exit codes, and all that is printed."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command of `sys.argv` and leave with its exit status.

    The collector of cycles is off: the process ends soon, and it would walk millions of objects that hold none.
    """
    gc.disable()
    try:
        from codepath.cli.root import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
