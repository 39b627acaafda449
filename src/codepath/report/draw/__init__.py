"""Pictures in their several forms; what a step says is the same in all of them (`words`)."""
