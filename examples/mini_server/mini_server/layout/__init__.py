"""Where experts live, who counts their load, who moves them."""
