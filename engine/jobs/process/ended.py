"""Processes that are named in files of folders that others can write to."""

from __future__ import annotations

MOST = 2**31 - 1
"""Largest number of a process; a larger one in a file name is of another program."""


def has_ended(number: str) -> bool:
    """Return True if a process has ended.

    Parameters
    ----------
    number
        decimal digits of the process number, from a file name

    Returns
    -------
    has_ended
        False also for a number that no process can have
    """
    import psutil

    return int(number) <= MOST and not psutil.pid_exists(int(number))
