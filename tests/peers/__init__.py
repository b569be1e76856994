"""Stubs of other programs that are not installed: libraries with the same functions."""
