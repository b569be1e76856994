"""Compute the response matrix of a dual-head scanner: integrate, track or import it."""
