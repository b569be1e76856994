"""Scans that do not describe themselves: what they may be, asked about as little as can be."""
