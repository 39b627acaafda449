"""What a change of few files does to a stored solution: its rows, brought up to date where that is certain."""
