"""Operators of a stored system response."""
