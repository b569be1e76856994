"""Names of arrays in a file: the file name, a #, and the name of the array."""

SIGN = "#"
"""Separator between the name of a file and the name of an array in it."""
