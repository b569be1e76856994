"""The list of all studies, and the orders of the worklist."""
