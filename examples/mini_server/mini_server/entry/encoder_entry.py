"""A server that only encodes: one process, a model, no scheduler and no runner."""

import logging

from mini_server.compat import torch
from mini_server.execution.loader import get_model
from mini_server.execution.model_config import ModelConfig
from mini_server.server_args import set_global_args_for_scheduler
from mini_server.utils.process import configure_logger

logger = logging.getLogger(__name__)


class Encoder:
    """Holds a model and turns text into vectors."""

    def __init__(self, server_args):
        set_global_args_for_scheduler(server_args)
        self.config = ModelConfig.from_server_args(server_args)
        self.model = get_model(self.config)

    def encode(self, text):
        """The vectors of a text, one a word."""
        ids = torch.zeros((len(text.split()), self.config.hidden))
        return self.model.embed(ids)


def serve(server_args):
    """Load the model and encode. Returns 0."""
    configure_logger("[encoder] ")
    encoder = Encoder(server_args)
    logger.info("encoded: %s", encoder.encode("hello there"))
    return 0
