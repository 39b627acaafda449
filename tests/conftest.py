"""What tests in several folders share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache that keeps what real releases cost, for the session or, where it is named, for good."""
    kept = os.environ.get("CODEPATH_RELEASES")
    return Path(kept) if kept else tmp_path_factory.mktemp("releases")
