"""What the device of this process is."""

from functools import lru_cache, partial

from mini_server.compat import torch


def device_capability(device=0):
    """(major, minor) of a device."""
    return torch.cuda.get_device_capability(device)


def _major_is_one_of(majors):
    major, _ = device_capability()
    return major in majors


is_hopper = lru_cache(maxsize=1)(partial(_major_is_one_of, majors=(9,)))
is_datacenter_blackwell = lru_cache(maxsize=1)(partial(_major_is_one_of, majors=(10,)))
is_any_blackwell = lru_cache(maxsize=1)(partial(_major_is_one_of, majors=(10, 12)))


def tile_shape(major):
    """Rows and columns of a kernel's tile.

    Raises:
        ValueError: No tile was measured for that device.
    """
    if major == 8:
        return 64, 64
    elif major == 9:
        return 128, 64
    elif major == 10:
        return 128, 128
    else:
        raise ValueError(f"no tile for capability {major}")
