"""Checks of the readers for X-ray projections in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.core.arrays import only_read
from engine.data.projections import Projections
from engine.data.storage.columns import MEMORY
from engine.io.xray.frames import assemble


def checked(scan: Projections, place: Path) -> Projections:
    """Return projections without empty views, with their bad pixels and with notes about both.

    Parameters
    ----------
    scan
        projections of a caller; they are not changed
    place
        name of the scan in messages

    Raises
    ------
    EngineError
        if the beam is not plausible, or the values do not fit their kind
    """
    if scan.storage is not MEMORY:
        return scan  # in files, which a reader has checked
    found = assemble(
        place,
        only_read(scan.values),
        scan.geometry,
        scan.kind,
        flats=scan.flats,
        darks=scan.darks,
        bad_pixels=scan.bad_pixels,
        pixel_mm_known=scan.pixel_mm_known,
        info=scan.info,
    )
    # A scan from a file has the same notes already, after the name of the file.
    known = {_without_place(each) for each in scan.notes}
    new = tuple(each for each in found.notes if _without_place(each) not in known)
    return replace(
        scan,
        values=scan.values if found.n_views == scan.n_views else found.values,
        geometry=found.geometry,
        bad_pixels=found.bad_pixels,
        info=found.info,
        notes=(*scan.notes, *new),
    )


def _without_place(note: str) -> str:
    return note.partition(": ")[2]
