"""The end of a process, without freeing one by one what it still holds.

At its usual end Python frees what is left in an order of chance, when Qt's application is gone
already. An icon or an item of a plot that is freed so late now and then takes the process with it:
the work is done, but whoever started the program is told of a crash. Without a window it is a
matter of time alone: libraries and compiled kernels take half a second to free.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End this process at once, and the processes it started; all that is kept is on the disk."""
    for child in multiprocessing.active_children():
        child.kill()
    _end(code)


def finish(code: int) -> NoReturn:
    """End this process, which had no window, after its threads and what was put off till then."""
    # what Python does first at its usual end: executors wake their idle threads, all are waited for
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    _end(code)


def _end(code: int) -> NoReturn:
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none without a console
            stream.flush()
    os._exit(code)
