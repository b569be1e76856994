"""Comparison with other programs on the same work."""
