"""Scans of Elekta XVI."""
