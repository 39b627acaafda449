"""Workers: a model on one device, as the scheduler sees it."""

from __future__ import annotations

import abc
import logging
from typing import TYPE_CHECKING, Optional

from mini_server.execution.forward_batch import ForwardBatch
from mini_server.execution.model_config import ModelConfig

if TYPE_CHECKING:
    from mini_server.execution.model_runner import ModelRunner

logger = logging.getLogger(__name__)


class BaseWorker(abc.ABC):
    """What every worker can do."""

    @property
    @abc.abstractmethod
    def model_runner(self):
        """The runner that batches go to."""

    @property
    def device(self):
        """The kind of device of the runner."""
        return self.model_runner.device

    def forward_step(self, request):
        """Run one step of a request. Returns a word."""
        batch = ForwardBatch.from_request(request, self.model_runner.model_config.hidden)
        output = self.model_runner.forward(batch)
        return f"<{output.shape[0]}>"

    def update_weights(self, request):
        """Load other weights."""
        self.model_runner.update_weights(request.path, recapture=request.recapture)


class TpWorker(BaseWorker):
    """A worker with a model of its own."""

    def __init__(
        self,
        server_args,
        gpu_id: int,
        dp_rank: Optional[int] = None,
        is_draft_worker: bool = False,
        pool=None,
        extra_runners: int = 0,
    ):
        self.server_args = server_args
        self.gpu_id = gpu_id
        self.tp_rank = gpu_id
        self.dp_rank = dp_rank
        self.is_draft_worker = is_draft_worker
        self.pool = pool
        self._init_model_config()
        self._init_model_runner()
        if extra_runners:
            self._init_extra_runners(extra_runners)

    def _init_model_config(self):
        self.model_config = ModelConfig.from_server_args(self.server_args, is_draft=self.is_draft_worker)

    def _init_model_runner(self):
        from mini_server.execution.model_runner import ModelRunner

        if self.server_args.runner == "stub":
            from mini_server.execution.stub_runner import StubRunner as ModelRunner  # noqa: F811

        self._model_runner = ModelRunner(
            model_config=self.model_config,
            server_args=self.server_args,
            gpu_id=self.gpu_id,
            tp_rank=self.tp_rank,
            is_draft_worker=self.is_draft_worker,
            pool=self.pool,
        )

    def _init_extra_runners(self, count):
        from mini_server.execution.model_runner import ModelRunner

        self.extra_runners = []
        for _ in range(count):
            runner = ModelRunner(
                model_config=self.model_config,
                server_args=self.server_args,
                gpu_id=self.gpu_id,
                tp_rank=self.tp_rank,
                is_draft_worker=self.is_draft_worker,
                pool=self.pool,
            )
            self.extra_runners.append(runner)

    @property
    def model_runner(self) -> ModelRunner:
        return self._model_runner

    @property
    def shared_pool(self):
        """The cache, for a draft worker to share."""
        return self.model_runner.pool
