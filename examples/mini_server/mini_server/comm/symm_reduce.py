"""All-reduce over memory that all ranks share."""

from mini_server.comm.capability import device_capability

MIB = 1024 * 1024

REDUCE_LIMITS = {
    9: {2: 64 * MIB, 4: 64 * MIB, 8: 128 * MIB},
    10: {2: 8 * MIB, 4: 32 * MIB, 8: 64 * MIB},
}

MULTICAST_WORLDS = {9: (4, 8), 10: (8,)}


class SymmReduce:
    """Knows up to which size it beats the ordinary way."""

    def __init__(self, world_size):
        self.disabled = True
        self.major = device_capability()[0]
        if self.major < 9:
            return
        if world_size not in REDUCE_LIMITS[self.major]:
            return
        self.limit = REDUCE_LIMITS[self.major][world_size]
        self.multicast = world_size in MULTICAST_WORLDS.get(self.major, ())
        self.disabled = False

    def fits(self, size):
        """Whether a tensor of that many bytes goes this way."""
        return not self.disabled and size <= self.limit
