"""Values that are computed on first use."""

_NOTHING = object()


class LazyValue:
    """Holds a function until somebody reads `value`. It forwards nothing else."""

    def __init__(self, make):
        self._make = make
        self._held = _NOTHING

    @property
    def value(self):
        """The computed value, computed once."""
        if self._held is _NOTHING:
            make, self._make = self._make, None
            self._held = make()
        return self._held
