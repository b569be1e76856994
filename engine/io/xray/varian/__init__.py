"""Scans of Varian imagers."""
