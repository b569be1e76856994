"""Technician mode."""
