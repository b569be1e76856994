"""Standard output and error with any encoding, on a full disk, or with a closed pipe."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engine.core.errors import ResourceError


def escape_missing_characters() -> None:
    """Escape characters that the encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        # Not a text stream if a test or another program has replaced it
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def output() -> Iterator[None]:
    """Turn a write error of standard output within the block into a `ResourceError`.

    A closed pipe stays a `BrokenPipeError`.
    """
    try:
        yield
        # Buffered text fails only when it is flushed
        sys.stdout.flush()
    except OSError as e:
        _discard_output()
        if isinstance(e, BrokenPipeError):
            raise
        raise ResourceError(
            f"Writing to standard output failed ({e.strerror or e}). Free disk space, or redirect "
            "the output."
        ) from e


def _discard_output() -> None:
    """Discard buffered output. Otherwise the interpreter writes it again on exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        # The descriptor, since the interpreter flushes the stream object itself at exit
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
