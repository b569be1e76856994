"""Regions: drawn in the slices, measured in every image, saved with the scan."""
