"""codepath reads a source tree and says which paths reach a function, under which guards and in which order."""
