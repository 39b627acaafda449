"""What tests in several folders share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """Let Ctrl-C interrupt the tests and what they start, also where a shell runs them in the background, ignoring it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache that keeps what real releases cost, for the session or, where it is named, for good."""
    kept = os.environ.get("CODEPATH_RELEASES")
    return Path(kept) if kept else tmp_path_factory.mktemp("releases")
