"""A runner for tests of the scheduler: no weights, no graphs."""

from mini_server.compat import torch
from mini_server.execution.model_runner import ModelRunner
from mini_server.execution.pool_mixin import KvPool


class StubRunner(ModelRunner):
    """Answers every batch with its own input."""

    def initialize(self, free_bytes):
        """Only what the scheduler asks for."""
        self.rebalancer = None
        self.model = None
        self.pool = KvPool(16)

    def forward(self, batch):
        return torch.zeros((batch.tokens, self.model_config.hidden))
