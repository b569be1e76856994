"""Warnings and log lines of libraries, printed as one clean line each."""

from __future__ import annotations

import logging
import warnings

from engine.core.visible_text import visible_line


def clean_library_messages() -> None:
    """Show control characters in warnings and log lines of libraries as visible marks.

    Libraries quote names and values of files, and print their messages on standard error.
    """
    warnings.formatwarning = _warning
    # The handler of libraries whose log nobody has set up
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_CleanLines())


class _CleanLines(logging.Formatter):
    """A log record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        return visible_line(super().format(record))


def _warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Return a warning as one line, without the line of the source."""
    return visible_line(f"{filename}:{lineno}: {category.__name__}: {message}") + "\n"
