"""Read the events of a run into memory, or into temporary files if they do not fit.

If a file can be read in pieces, many events are sorted in space while they are read, by all
threads. This takes a third of the time of sorting them afterwards, and gives the same order.
"""

from __future__ import annotations

from dataclasses import replace

from engine.core.backend.devices import device_of
from engine.core.paths import cache_dir
from engine.data.listmode import ListMode
from engine.data.runs.events import Progressed
from engine.data.storage.columns import MEMORY, ColumnStorage, Scratch
from engine.geometry.grid import ImageGrid
from engine.io import open_pieces, read_listmode
from engine.io.listmode.event_pieces import EventPieces
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import SCRATCH_BYTES_PER_EVENT, estimate
from engine.modalities.requirements import Requirements, refuse_if_too_large
from engine.protocols.run_context.context import RunContext

Context = RunContext[ListModeProtocol]
READINGS = 2
"""Number of times that a file is read to sort its events: the first pass counts them by place."""
ORDERED_FROM = 5_000_000
"""Number of events from which they are sorted while reading."""
MUCH = 0.25
"""Fraction of the free memory above which events go to files even if they fit; others need some."""
TOO_LARGE = "The events do not fit in memory."
TAKE_MUCH = "The events would use much of the memory."
GB = 1e9


def stored(context: Context) -> ListMode:
    """Read the scan of a study, into temporary files if it does not fit in memory.

    Parameters
    ----------
    context
        run with its study

    Returns
    -------
    stored
        sorted in space if the scan was read in pieces
    """
    study = context.study
    of, complete = study.scanner, study.complete_events
    with open_pieces(study.data, scanner=of, complete_events=complete) as source:
        if source is not None:
            grid = context.protocol.grid.grid_for(source.scanner)
            # The largest number of events that the file can contain; the true number is not known
            # yet.
            requirements = _estimated(context, grid, source.max_events, source.scanner.n_lors)
            if requirements.disk_bytes:
                refuse_if_too_large(requirements, grid)
                return in_files(context, source)
            if source.max_events >= ORDERED_FROM:
                return _many(context, source, requirements)
    # Small scans are read at once and sorted later, which is faster for them.
    return read_listmode(study.data, scanner=of, complete_events=complete)


def _many(context: Context, source: EventPieces, requirements: Requirements) -> ListMode:
    """Sort events that fit in memory; use files if they would take much of it."""
    takes_much = requirements.memory_bytes > MUCH * requirements.free_bytes
    # Other programs need memory, too; the disk is slower but does not disturb them.
    on_disk = Scratch(cache_dir())
    if takes_much and on_disk.free_bytes > SCRATCH_BYTES_PER_EVENT * source.max_events:
        return in_files(context, source, TAKE_MUCH)
    return _in_order(context, source, MEMORY, with_times=True)


def needs_of(context: Context, data: ListMode, grid: ImageGrid) -> Requirements:
    """Return the requirements of a run on a scan.

    Parameters
    ----------
    context
        run with its protocol
    data
        scan with its auxiliary files
    grid
        grid of the image
    """
    return _estimated(context, grid, data.n_events, data.scanner.n_lors, data)


def _estimated(
    context: Context, grid: ImageGrid, n_events: int, n_lors: int, scan: ListMode | None = None
) -> Requirements:
    on = device_of(context.on)
    return estimate(context.protocol, grid, n_events, on=on, n_lors=n_lors, scan=scan)


def in_files(context: Context, source: EventPieces, why: str = TOO_LARGE) -> ListMode:
    """Sort the events into temporary files that belong to the scan.

    Parameters
    ----------
    context
        run with its protocol
    source
        scan that can be read in pieces
    why
        reason for the note to the user
    """
    # Times are only needed for frames, and cost 4 bytes per event.
    with_times = bool(context.protocol.frames)
    data = _in_order(context, source, Scratch(cache_dir()), with_times=with_times)
    note = f"{why} They are stored in temporary files until the run ends."
    return replace(data, notes=(*data.notes, note))


def _in_order(
    context: Context, source: EventPieces, storage: ColumnStorage, *, with_times: bool
) -> ListMode:
    """Sort the events in space while reading, and report the progress."""
    from engine.modalities.listmode_pet.spatial_sort import sort_in_space  # few scans need it

    tell, readings = context.on_progress, 0
    n_before = 0

    def on_events(n_events: int, end_byte: int) -> None:
        nonlocal readings, n_before
        # A smaller number than before means that the second reading has begun.
        readings, n_before = readings + (n_events < n_before), n_events
        if tell is not None and source.n_bytes:
            done = readings * source.n_bytes + end_byte
            text = f"{n_events:,} events, {end_byte / GB:.2f} of {source.n_bytes / GB:.2f} GB"
            tell(Progressed("read", done, READINGS * source.n_bytes, text))

    return sort_in_space(
        source, storage, threads=context.on.threads, with_times=with_times, on_events=on_events
    )
