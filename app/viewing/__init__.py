"""Fusion and viewer tools."""
