"""End the process without freeing all objects one by one.

Normally Python frees the remaining objects in arbitrary order, when Qt's application no longer
exists. An icon or a plot item that is freed so late can crash the process: the work is done, but
the caller sees a crash. Without a window the only reason is time: it takes half a second to free
libraries and compiled kernels.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End this process and its children immediately; all data are on disk."""
    from multiprocessing import active_children

    for child in active_children():
        # Workers read files of other programs and may hang in them, so they are not asked to end.
        child.kill()
    _end(code)


def finish(code: int) -> NoReturn:
    """End a process without a window, after its threads and exit handlers."""
    # The first two steps of Python's normal exit: wait for all threads, then run exit handlers.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    _end(code)


def _end(code: int) -> NoReturn:
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none without a console
            stream.flush()
    # Skips the interpreter's own cleanup, which is the purpose of this module. Buffers are flushed
    # above.
    os._exit(code)
