"""Linked views of volumes, and plots."""
