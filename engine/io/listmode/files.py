"""Read list mode completely, in pieces, or only its summary."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.data.listmode import ListMode
from engine.io.base import ListModeReader
from engine.io.formats import LISTMODE_READERS, reader_of
from engine.io.listmode.event_facts import EventFacts, facts_of
from engine.io.listmode.event_pieces import EventPieces
from engine.io.safety.open_input import InputFile, open_input
from engine.io.unknown import unknown


def read_listmode(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> ListMode:
    """Read a list-mode scan.

    Parameters
    ----------
    path
        the scan's data or header file
    scanner
        name of a scanner that comes with us, a scanner file or a crystal map, where the
        scan does not say which
    complete_events
        use the complete events of a file that ends within a record, which is refused otherwise
    """
    with _opened(path, complete_events) as (reader, file):
        return reader.read(file, scanner=scanner)


def listmode_facts(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> EventFacts:
    """Return what a list-mode scan holds, however large; parameters as of `read_listmode`."""
    with _opened(path, complete_events) as (reader, file):
        return facts_of(reader, file, scanner=scanner)


@contextmanager
def open_pieces(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> Iterator[EventPieces | None]:
    """Open a list-mode scan to read its events in pieces; None where they are read as a whole.

    The parameters are those of `read_listmode`.
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
    """Open a list-mode scan with the reader that is for it."""
    with open_input(Path(path), may_be_cut=complete_events) as file:
        reader = reader_of(LISTMODE_READERS, file)
        if reader is None:
            raise unknown(file, "list-mode scan", LISTMODE_READERS)
        yield reader, file
