"""Standard output and error as they are: of any encoding, full, or with nobody reading."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engine.core.errors import ResourceError


def say_what_can_be_said() -> None:
    """Let signs that the encoding lacks be spelled out, instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def output() -> Iterator[None]:
    """Turn a fault of standard output within the block into a sentence.

    A pipe that nobody reads any more stays a `BrokenPipeError`.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as e:
        _give_up()
        if isinstance(e, BrokenPipeError):
            raise
        raise ResourceError(
            f"standard output: cannot be written ({e.strerror or e}); make room, or send it "
            "elsewhere."
        ) from e


def _give_up() -> None:
    """Let what is left unsaid go nowhere: the interpreter would try again as it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
