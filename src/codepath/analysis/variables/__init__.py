"""Who writes and reads a variable: module globals, class attributes, instance attributes."""
