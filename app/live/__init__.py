"""A scan while it is measured: its source, its slices, its figures."""
