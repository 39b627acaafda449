"""Capture of the draft step. It borrows the loop of the target's graph runner."""

from mini_server.compat import torch
from mini_server.execution.forward_batch import ForwardBatch
from mini_server.execution.graph_runner import GraphRunner, capture_mode


class DraftGraphRunner:
    """One graph for each batch size; not a GraphRunner."""

    def __init__(self, draft_worker):
        if hasattr(draft_worker, "model_runner"):
            self.model_runner = draft_worker.model_runner
        else:
            self.model_runner = draft_worker.draft_runner
        self.sizes = draft_worker.server_args.graph_size_list[:1]
        self.graphs = {}
        self.outputs = {}
        with capture_mode():
            GraphRunner.capture(self)

    def capture_one_size(self, size, forward):
        """Capture the draft model once, with no warm-up."""
        batch = ForwardBatch.dummy(size, self.model_runner.model_config.hidden)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = forward(batch.hidden_states, batch, self.model_runner.attention_backend)
        return graph, output


class NpuDraftGraphRunner(DraftGraphRunner):
    """The same on another device."""
