"""The numbers of a model."""

import dataclasses

from mini_server.models.registry import ModelRegistry


@dataclasses.dataclass
class ModelConfig:
    """Name and sizes of a model."""

    architecture: str
    hidden: int = 8
    layers: int = 2
    experts: int = 4
    attention: str = "grouped"
    is_draft: bool = False

    @classmethod
    def from_server_args(cls, server_args, is_draft=False):
        """The target's numbers, or the draft's."""
        name = server_args.draft_model if is_draft else server_args.model
        return cls(architecture=name, layers=1 if is_draft else 2, is_draft=is_draft)

    @property
    def model_class(self):
        """The class that the architecture's name stands for."""
        return ModelRegistry.resolve(self.architecture)

    @property
    def makes_tokens(self):
        """Whether the model produces tokens."""
        return not getattr(self.model_class, "embedding_only", False)
