"""A draft worker without a model: it repeats what it has seen."""

from collections import Counter


class NgramWorker:
    """Guesses from counts; its runner is the target's."""

    def __init__(self, server_args, gpu_id, dp_rank, target_worker):
        self.target_worker = target_worker
        self.model_runner = self.target_worker.model_runner
        self.seen = Counter()

    def forward_step(self, request):
        word = self.target_worker.forward_step(request)
        self.seen[word] += 1
        return word

    def update_weights(self, request):
        """Nothing to load."""
