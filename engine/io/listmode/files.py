"""Read list mode completely, in pieces, or only its summary."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.data.listmode import ListMode
from engine.io.base import ListModeReader
from engine.io.formats import LISTMODE_READERS
from engine.io.listmode.event_pieces import EventPieces
from engine.io.safety.open_input import InputFile, open_input

if TYPE_CHECKING:
    from engine.io.listmode.event_facts import EventFacts


def read_listmode(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> ListMode:
    """Read a list-mode scan completely.

    Parameters
    ----------
    path
        data or header file of the scan
    scanner
        name of a built-in scanner, or path of a scanner file or crystal map; None if the scan
        states it
    complete_events
        use the complete events of a file that ends within a record; it is refused otherwise

    Raises
    ------
    EngineError
        if the file is not list mode, is damaged, or no scanner is known
    """
    with _opened(path, complete_events) as (reader, file):
        return reader.read(file, scanner=scanner)


def listmode_facts(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> EventFacts:
    """Return a summary of a list-mode scan of any size.

    Parameters
    ----------
    path
        data or header file of the scan
    scanner, complete_events
        as for `read_listmode`
    """
    with _opened(path, complete_events) as (reader, file):
        from engine.io.listmode.event_facts import facts_of  # runs read the events instead

        return facts_of(reader, file, scanner=scanner)


@contextmanager
def open_pieces(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> Iterator[EventPieces | None]:
    """Open a list-mode scan to read its events in pieces.

    Parameters
    ----------
    path
        data or header file of the scan
    scanner, complete_events
        as for `read_listmode`

    Yields
    ------
    pieces
        None if the format can only be read as a whole
    """
    with (
        _opened(path, complete_events) as (reader, file),
        reader.pieces(file, scanner=scanner) as found,
    ):
        yield found


@contextmanager
def _opened(
    path: Path | str, complete_events: bool
) -> Iterator[tuple[type[ListModeReader], InputFile]]:
    """Open a list-mode scan with its reader."""
    # The file stays open within the block, because pieces are read from it later.
    with open_input(Path(path), may_be_cut=complete_events) as file:
        reader = LISTMODE_READERS.accepting(file)
        if reader is None:
            from engine.io.unknown import unknown  # only this message compares all formats

            raise unknown(file, "list-mode scan", LISTMODE_READERS)
        yield reader, file
