"""Scans of the ESRF."""
