"""Read compound files (OLE2), which contain named streams of bytes, with olefile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@contextmanager
def compound_streams(file: InputFile) -> Iterator[Callable[[str], bytes | None]]:
    """Open a compound file for reading streams.

    Parameters
    ----------
    file
        compound file

    Yields
    ------
    stream
        function that returns the bytes of a named stream, None if there is none

    Raises
    ------
    FileFormatError
        if the file is damaged, when it is opened or read
    """
    import olefile

    try:
        with olefile.OleFileIO(file.stream()) as tree:

            def stream(name: str) -> bytes | None:
                if not tree.exists(name):
                    return None
                return bytes(tree.openstream(name).read())

            yield stream
    # olefile raises errors of many types for damaged sector chains.
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as e:
        reason = " ".join(str(e).split())
        raise FileFormatError(
            f"{file.name}: damaged or truncated ({reason}); copy the file again."
        ) from e
