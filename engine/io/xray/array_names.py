"""Names of arrays in a file: the name of the file, a sign, and the name of the array."""

SIGN = "#"
"""Before the name of an array, after that of its file."""
