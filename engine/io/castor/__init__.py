"""Scans of CASToR: a header of `key: value`, its records, and a look-up table of crystals."""
