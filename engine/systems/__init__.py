"""Composition roots: corrected data + grid -> system model, one file for each system."""
