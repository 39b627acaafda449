"""The ways to speculate, and the worker of each."""

import enum

from mini_server.env import flags


class SpecAlgorithm(enum.Enum):
    """How draft tokens are made."""

    NONE = enum.auto()
    CHAIN = enum.auto()
    TREE = enum.auto()
    LONE = enum.auto()
    NGRAM = enum.auto()

    @classmethod
    def from_string(cls, name):
        """The member of that name; NONE for None."""
        if name is None:
            return cls.NONE
        return cls[name.upper()]

    def is_none(self):
        return self == SpecAlgorithm.NONE

    def create_worker(self, server_args):
        """The class of the draft worker.

        Raises:
            ValueError: Nothing is speculated.
        """
        if self == SpecAlgorithm.CHAIN:
            if flags.SPEC_COMPOSED.get():
                from mini_server.spec.tree_worker import TreeWorker

                return TreeWorker
            from mini_server.spec.chain_worker import ChainWorker

            return ChainWorker
        if self == SpecAlgorithm.TREE:
            from mini_server.spec.tree_worker import TreeWorker

            return TreeWorker
        elif self == SpecAlgorithm.LONE:
            from mini_server.spec.lone_worker import LoneWorker

            return LoneWorker
        elif self == SpecAlgorithm.NGRAM:
            from mini_server.spec.ngram_worker import NgramWorker

            return NgramWorker
        raise ValueError("no draft worker without speculation")
