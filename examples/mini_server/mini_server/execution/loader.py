"""Makes a model and fills in its weights."""

import contextlib
import logging
from concurrent.futures import ThreadPoolExecutor

from mini_server.compat import torch
from mini_server.env import flags

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def loading(name):
    """Log the begin and the end of loading."""
    logger.info("loading %s", name)
    yield
    logger.info("loaded %s", name)


def iter_weights(model):
    """Pairs of name and tensor, as a checkpoint would give them."""
    for name, param in model.named_params():
        yield name, torch.zeros(param.shape)


def default_weight_loader(param, tensor):
    """Copy as it is."""
    param.data = tensor


def load_weights(model, weights):
    """Give each tensor to the loader that its parameter names."""
    params = dict(model.named_params())
    with ThreadPoolExecutor(max_workers=flags.LOADER_THREADS.get()) as pool:
        futures = []
        for name, tensor in weights:
            param = params[name]
            weight_loader = getattr(param, "weight_loader", default_weight_loader)
            futures.append(pool.submit(weight_loader, param, tensor))
        for future in futures:
            future.result()


def get_model(model_config):
    """A model with weights."""
    model_class = model_config.model_class
    with loading(model_config.architecture):
        model = model_class(model_config)
        if hasattr(model, "load_weights"):
            model.load_weights(iter_weights(model))
        else:
            load_weights(model, iter_weights(model))
    return model
