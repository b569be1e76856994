"""Data that comes with the program, never code: scanners, protocols, themes."""
