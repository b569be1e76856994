"""Unfinished work that the user decides about."""
