"""A draft worker that is a worker: it inherits what it drafts with."""

from mini_server.layers.moe_config import draft_a2a_backend
from mini_server.runtime.tp_worker import TpWorker
from mini_server.spec.draft_graph_runner import DraftGraphRunner, NpuDraftGraphRunner

DRAFT_GRAPH_RUNNERS = {"cuda": DraftGraphRunner, "npu": NpuDraftGraphRunner}


class ChainWorker(TpWorker):
    """Drafts one token after the other."""

    def __init__(self, server_args, gpu_id, dp_rank, target_worker):
        self.target_worker = target_worker
        with draft_a2a_backend():
            super().__init__(
                server_args=server_args,
                gpu_id=gpu_id,
                dp_rank=dp_rank,
                is_draft_worker=True,
                pool=target_worker.shared_pool,
            )
        self.init_draft_graphs()

    @property
    def draft_runner(self):
        """The runner of the draft model."""
        return self.model_runner

    @property
    def target_runner(self):
        """The runner of the target model."""
        return self.target_worker.model_runner

    def init_draft_graphs(self):
        """Capture the draft step."""
        if self.server_args.disable_graph:
            return
        self.draft_graphs = DRAFT_GRAPH_RUNNERS[self.target_worker.device](self)

    def forward_step(self, request):
        """Draft, then let the target decide."""
        for _ in range(self.server_args.spec_steps):
            super().forward_step(request)
        return self.target_worker.forward_step(request)
