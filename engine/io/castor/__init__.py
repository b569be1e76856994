"""CASToR scans: a header of `key: value`, its records, and a look-up table of crystals."""
