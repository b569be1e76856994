"""Figures of a GPU that the suites of single modalities do not have."""
