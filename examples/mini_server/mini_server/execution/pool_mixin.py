"""The key-value cache, as a part of the runner."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mini_server.execution.model_runner import ModelRunner

logger = logging.getLogger(__name__)


class KvPool:
    """Slots for keys and values."""

    def __init__(self, slots):
        self.slots = slots
        self.used = 0

    def clear(self):
        self.used = 0


class PoolMixin:
    """How a runner gets its cache."""

    def init_memory_pool(self: ModelRunner, free_bytes: int):
        """Make a cache, or share the target's."""
        if self.pool is not None:
            assert self.is_draft_worker, "only a draft worker shares a pool"
            return
        self.pool = KvPool(self._slots_that_fit(free_bytes))
        self.log_memory("pool")

    def _slots_that_fit(self: ModelRunner, free_bytes: int) -> int:
        per_slot = self.model_config.hidden * self.model_config.layers * 4
        return max(1, free_bytes // per_slot // 1024)
