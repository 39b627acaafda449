"""The faster parser gives the same facts, and is used only where it is asked for."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import gc
from pathlib import Path
import libcst
from codepath.extract import extract, fast_parser
data = Path(libcst.helpers.__file__ or "").read_bytes() + Path(subprocess_file).read_bytes()
before = extract(data, "x.py")
print(fast_parser(), fast_parser(), extract(data, "x.py") == before)
"""


def test_the_facts_are_the_same() -> None:
    code = CODE.replace("subprocess_file", repr(subprocess.__file__))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "True True True\n"
