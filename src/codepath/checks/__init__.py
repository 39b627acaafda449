"""Layer `checks`."""
