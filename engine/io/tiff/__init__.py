"""Volumes as TIFF stacks and OME-TIFF."""
