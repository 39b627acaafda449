"""How Sphinx makes a site of these pages: `make site`."""

project = "codepath"
author = "the codepath authors"
copyright = author
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "codepath"
myst_heading_anchors = 3
exclude_patterns = ["_build"]
suppress_warnings = ["misc.highlighting_failure"]  # rules in TOML and consoles with cut lines are no whole programs
