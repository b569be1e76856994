"""The end of a process that had a window.

At its usual end Python frees what is left in an order of chance, when Qt's application is gone
already. An icon or an item of a plot that is freed so late now and then takes the process with it:
the work is done, but whoever started the program is told of a crash.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
from contextlib import suppress
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End this process at once, and the processes it started; all that is kept is on the disk."""
    for child in multiprocessing.active_children():
        child.kill()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none without a console
            stream.flush()
    os._exit(code)
