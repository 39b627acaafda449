"""The ranks that share a model."""

from mini_server.comm.symm_reduce import SymmReduce


class DeviceGroup:
    """One rank's view of its group."""

    def __init__(self, server_args, rank):
        self.rank = rank
        self.world_size = server_args.tp_size
        self.symm = None
        if server_args.enable_symm_mem and self.world_size > 1:
            self.symm = SymmReduce(self.world_size)

    @property
    def is_first(self):
        return self.rank == 0

    def make_symm_pool(self):
        """The pool that graphs must know of, as a list of sizes."""
        return [] if self.symm is None else [getattr(self.symm, "limit", 0)]
