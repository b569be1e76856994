"""Fusion: painting one volume over another."""
