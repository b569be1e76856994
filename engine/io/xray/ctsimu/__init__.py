"""Scans of the CTSimU project."""
