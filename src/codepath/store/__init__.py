"""Layer `store`: facts by content, identifiers, snapshots and solutions in one SQLite database that mends itself."""

from __future__ import annotations

from codepath.store.facts import FactsRow, Failure
from codepath.store.hashes import Hashes
from codepath.store.solutions import SolutionLost
from codepath.store.spill import Spill
from codepath.store.store import Removed, Store, StoreStatus

__all__ = ["FactsRow", "Failure", "Hashes", "Removed", "SolutionLost", "Spill", "Store", "StoreStatus"]
