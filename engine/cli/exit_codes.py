"""Exit codes of the commands, and the limit of open files, which a shell can set too low."""

from __future__ import annotations

import errno
import os

DONE = 0
OUR_FAULT = 1
USER_FAULT = 2
"""Problem with the input or the settings. Standard error has one sentence about it."""
INTERRUPTED = 130
"""Interrupted by Ctrl+C. The message states how to continue, if possible."""
TOO_FEW_FILES = (
    "The system allows this program too few open files. Raise the limit, for example with "
    "`ulimit -n 1024`, and run the command again."
)


def is_out_of_files(fault: BaseException) -> bool:
    """Return True if an error, or one that it was raised from, is the limit of open files.

    Parameters
    ----------
    fault
        any exception; the loader of libraries states the limit only in the text of an ImportError
    """
    seen: BaseException | None = fault
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in (errno.EMFILE, errno.ENFILE):
            return True
        if isinstance(seen, ImportError) and os.strerror(errno.EMFILE) in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
