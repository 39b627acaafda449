"""Capture of the decode step as device graphs."""

import contextlib
import logging

from mini_server.compat import torch
from mini_server.execution.forward_batch import ForwardBatch

logger = logging.getLogger(__name__)

_capturing = False


def is_capturing():
    """Whether a capture is under way in this process."""
    return _capturing


@contextlib.contextmanager
def capture_mode():
    """Mark that a capture is under way."""
    global _capturing
    _capturing = True
    yield
    _capturing = False


@contextlib.contextmanager
def patch_model(model):
    """Let the operators of a model use the path that can be captured."""
    for child in model.walk():
        if hasattr(child, "enter_capture"):
            child.enter_capture()
    try:
        yield model.forward
    finally:
        for child in model.walk():
            if hasattr(child, "leave_capture"):
                child.leave_capture()


class GraphRunner:
    """One graph for each batch size."""

    def __init__(self, model_runner):
        self.model_runner = model_runner
        self.hidden = model_runner.model_config.hidden
        self.sizes = sorted(model_runner.server_args.graph_size_list)
        self.graphs = {}
        self.outputs = {}
        try:
            with capture_mode():
                self.capture()
        except RuntimeError as error:
            raise RuntimeError("capture failed; --disable-graph starts without") from error

    def capture(self):
        """Capture every size, the largest first."""
        for size in reversed(self.sizes):
            with patch_model(self.model_runner.model) as forward:
                graph, output = self.capture_one_size(size, forward)
            self.graphs[size] = graph
            self.outputs[size] = output

    def capture_one_size(self, size, forward):
        """Run twice as warm-up, then once under capture."""
        batch = ForwardBatch.dummy(size, self.hidden)

        def run_once():
            return forward(batch.hidden_states, batch, self.model_runner.attention_backend)

        for _ in range(2):
            run_once()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = run_once()
        return graph, output

    def can_run(self, batch):
        """Whether a graph of that size was captured."""
        return batch.tokens in self.graphs

    def replay(self, batch):
        """Run the graph of the batch's size."""
        self.graphs[batch.tokens].replay()
        return self.outputs[batch.tokens]
