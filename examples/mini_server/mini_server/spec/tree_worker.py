"""A draft worker that has a worker."""

from mini_server.runtime.tp_worker import BaseWorker, TpWorker
from mini_server.spec.draft_graph_runner import DraftGraphRunner


class TreeDraft:
    """The part that drafts."""

    def __init__(self, server_args, gpu_id, dp_rank, target_worker):
        self.server_args = server_args
        worker_kwargs = dict(
            server_args=server_args,
            gpu_id=gpu_id,
            dp_rank=dp_rank,
            is_draft_worker=True,
            pool=target_worker.shared_pool,
        )
        if server_args.spec_steps > 2:
            worker_kwargs["extra_runners"] = server_args.spec_steps - 2
        self.worker = TpWorker(**worker_kwargs)
        self.draft_runner = self.worker.model_runner
        if not server_args.disable_graph:
            self.draft_graphs = DraftGraphRunner(self)


class TreeWorker(BaseWorker):
    """Drafts a tree of tokens with the part, verifies with the target."""

    def __init__(self, server_args, gpu_id, dp_rank, target_worker):
        self.target_worker = target_worker
        self.draft = TreeDraft(server_args, gpu_id, dp_rank, target_worker)

    @property
    def model_runner(self):
        return self.target_worker.model_runner

    def forward_step(self, request):
        self.draft.worker.forward_step(request)
        return self.target_worker.forward_step(request)
