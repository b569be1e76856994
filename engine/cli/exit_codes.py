"""What the exit code of a command says."""

DONE = 0
OUR_FAULT = 1
USER_FAULT = 2
"""The input or the settings are at fault; one sentence is on standard error."""
INTERRUPTED = 130
"""With a word on how it goes on, where it does."""
