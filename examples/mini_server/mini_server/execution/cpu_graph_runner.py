"""The graph runner of a device that has no graphs."""

import contextlib

import mini_server.execution.graph_runner as graph_module
from mini_server.execution.graph_runner import GraphRunner


@contextlib.contextmanager
def patch_model_cpu(model):
    """Nothing to switch."""
    yield model.forward


class CpuGraphRunner(GraphRunner):
    """Runs the model once for each size and keeps the outputs."""

    def __init__(self, model_runner):
        graph_module.patch_model = patch_model_cpu
        super().__init__(model_runner)

    def capture_one_size(self, size, forward):
        batch = graph_module.ForwardBatch.dummy(size, self.hidden)
        return _NoGraph(), forward(batch.hidden_states, batch, self.model_runner.attention_backend)


class _NoGraph:
    """Replays nothing."""

    def replay(self):
        pass
