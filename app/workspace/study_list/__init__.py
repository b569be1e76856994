"""The list of all studies, and what the worklist says is to be done."""
