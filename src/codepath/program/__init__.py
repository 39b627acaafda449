"""Layer `program`."""
