"""Exchange of weights, as a part of the scheduler."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mini_server.runtime.messages import UpdateWeightsReq
    from mini_server.runtime.scheduler import Scheduler


class SchedulerWeightsMixin:
    """New weights for a server that runs."""

    def update_weights(self: Scheduler, request: UpdateWeightsReq):
        """Load weights into the target, then the draft model."""
        self.handle_flush(request)
        self.tp_worker.update_weights(request)
        if self.draft_worker is not None:
            self.draft_worker.update_weights(request)
