"""The example server, indexed once."""

from __future__ import annotations

import pytest

from tests.functional.running import EXAMPLE, Program


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """codepath in the folder of the example server, its tree indexed."""
    program = Program(EXAMPLE, tmp_path_factory.mktemp("example-cache"))
    program.run("index", "-q")
    return program
