"""Finds model classes by the name of their architecture."""

import importlib
import logging
import os
import pkgutil

import mini_server.models

logger = logging.getLogger(__name__)


class _ModelRegistry:
    """Reads `EntryClass` of each module of a package, when first asked."""

    def __init__(self):
        self.models = {}
        self._ready = False

    def register(self, package_name, overwrite=False):
        """Add the classes of every module of a package."""
        package = importlib.import_module(package_name)
        for _, name, _ in pkgutil.iter_modules(package.__path__):
            if name == "registry":
                continue
            module = importlib.import_module(f"{package_name}.{name}")
            entry = getattr(module, "EntryClass", None)
            if entry is None:
                continue
            for model_class in entry if isinstance(entry, list) else [entry]:
                self._add(model_class, overwrite)

    def _add(self, model_class, overwrite):
        known = self.models.get(model_class.__name__)
        assert overwrite or known in (None, model_class), f"two classes named {model_class.__name__}"
        self.models[model_class.__name__] = model_class

    def _load(self):
        if not self._ready:
            self._ready = True
            self.register(mini_server.models.__name__)

    def names(self):
        """The known architectures."""
        self._load()
        return list(self.models)

    def resolve(self, architecture):
        """The class of an architecture.

        Raises:
            ValueError: No module has a class of that name.
        """
        self._load()
        try:
            return self.models[architecture]
        except KeyError:
            raise ValueError(f"no model {architecture!r}; known: {sorted(self.models)}") from None


ModelRegistry = _ModelRegistry()

if extra_package := os.environ.get("MINI_EXTRA_MODELS"):
    ModelRegistry.register(extra_package, overwrite=True)
