"""CASToR scans: a header of `key: value`, its records, and a look-up table of crystals."""

SUFFIX, TEXT_SUFFIX = ".lut", ".hscan"
"""Suffixes of crystal look-up tables and of their descriptions."""
