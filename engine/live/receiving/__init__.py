"""Receive the messages of a live scan in a separate process, with limits on memory and time."""
