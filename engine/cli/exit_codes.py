"""Exit codes of the commands."""

DONE = 0
OUR_FAULT = 1
USER_FAULT = 2
"""Problem with the input or the settings. Standard error has one sentence about it."""
INTERRUPTED = 130
"""Interrupted by Ctrl+C. The message states how to continue, if possible."""
