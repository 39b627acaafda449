"""What a picture of the order of initialisation shows: found, chosen, numbered."""
