"""Measure the resolution of a scanner."""
