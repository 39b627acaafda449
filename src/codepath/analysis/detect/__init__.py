"""Detectors: faults of a kind, looked for in a whole tree or in what one name means.

A detector is a module here with two ways in: over all of a tree (its rule kind in `checks/kinds/`, by way of
`checks/detected.py`) and about one name (a question in `app/detecting.py`). Both give `model.detect.Detected`.
"""
