"""Profiling, as a part of the scheduler."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mini_server.runtime.scheduler import Scheduler

logger = logging.getLogger(__name__)


class SchedulerProfileMixin:
    """Start and stop of a profile."""

    def start_profile(self: Scheduler, folder: str):
        """Begin to measure."""
        self.profile_folder = folder
        self.profile_start = time.monotonic()
        self.tp_worker.model_runner.log_memory("profile")

    def stop_profile(self: Scheduler):
        """End the measurement that was begun."""
        seconds = time.monotonic() - self.profile_start
        logger.info("profile of %.1f s belongs in %s", seconds, self.profile_folder)
