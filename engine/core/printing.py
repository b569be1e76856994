"""All printing: no other module writes to the standard streams, except for the progress bar."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.core.visible_text import visible_line

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

STDOUT, STDERR = 1, 2


def print_line(text: str, to: SupportsWrite[str] | None = None, *, end: str = "\n") -> None:
    """Print one line.

    Parameters
    ----------
    text
        the line; control and bidirectional characters become visible marks
    to
        standard output if None, or standard error
    end
        text after the line
    """
    (sys.stdout if to is None else to).write(visible_line(text) + end)


def print_lines(text: str, to: SupportsWrite[str] | None = None) -> None:
    """Print a text of several lines.

    Parameters
    ----------
    text
        lines, separated by line feeds; only for text of the program, since a line feed in a foreign
        name would look like a new line
    to
        standard output if None, or standard error
    """
    for line in text.split("\n"):
        # A tab only separates columns
        print_line(line.replace("\t", "    "), to)


def leave_terminal() -> None:
    """Send all further output nowhere, after the terminal was closed.

    A line on a closed terminal would be an error, and prevent the saving.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (STDOUT, STDERR):
        with suppress(OSError):
            os.dup2(null, stream)
    os.close(null)


def print_traceback(fault: BaseException) -> None:
    """Print a traceback on standard error.

    Parameters
    ----------
    fault
        an exception; its text can contain foreign text
    """
    print_lines("".join(traceback.format_exception(fault)).rstrip("\n"), sys.stderr)
