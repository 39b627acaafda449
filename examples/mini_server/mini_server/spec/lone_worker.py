"""A draft model that shares nothing with its target."""

from mini_server.runtime.tp_worker import TpWorker
from mini_server.spec.chain_worker import ChainWorker


class LoneWorker(ChainWorker):
    """Drafts with an ordinary small model. The parent's `__init__` does not run."""

    def __init__(self, server_args, gpu_id, dp_rank, target_worker):
        self.target_worker = target_worker
        TpWorker.__init__(
            self,
            server_args=server_args,
            gpu_id=gpu_id,
            dp_rank=dp_rank,
            is_draft_worker=True,
        )
        self.init_draft_graphs()
