"""Write an image of the run to a file, with its provenance."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from app.language.translation import tr
from app.state.models.preferences import is_folder
from app.state.models.run_images import StoredImage
from app.state.models.run_record import RunRecord
from app.ui.theme.formatting import size
from engine.core.errors import EngineError
from engine.data import FrameVolume, Plain, Volume, info_of_frame
from engine.jobs.study_index import ImagingOrder, write_for_order
from engine.protocols.privacy import Names
from engine.results import default_export_name

SPARE = 1.1
"""Required free space, as a multiple of the file size before compression."""


def provenance_of(
    record: RunRecord, stored: StoredImage, *, identify: bool = False
) -> Plain | None:
    """Return the provenance of a stored image.

    A single frame states only its own times, so that no program takes it for the whole scan.

    Parameters
    ----------
    record
        record of the run
    stored
        stored image
    identify
        True to keep the names in the provenance of an image that was read from a file

    Returns
    -------
    Plain or None
        None if only the volume itself has a provenance
    """
    made_by = _provenance_of_image(record, stored, identify=identify)
    if stored.frame is None or made_by is None:
        return made_by
    return info_of_frame(made_by, stored.frame)


def _provenance_of_image(record: RunRecord, stored: StoredImage, *, identify: bool) -> Plain | None:
    if record.result is not None and stored.volume is record.result:
        return record.provenance
    # The run has not ended: the image is an iterate, or one that was opened from a file.
    if not record.provenance:
        from engine.protocols.privacy import without_names

        info = stored.volume.info if identify else without_names(stored.volume.info)
        image = record.title if record.is_file else stored.label
        return {**info, "image": image, "run": record.title, "finished": False}
    from engine.jobs import hash_array, with_run

    # The record of the run as it was at this iterate, not at its end.
    run = (
        record.run_at(record.images.items.index(stored)) if stored in record.images.items else None
    )
    of_image = {} if run is None or stored.frame else with_run({}, run)
    changed: Plain = {
        # Iterates are stored before the final filters, so their digest differs from that of the
        # result.
        **({} if stored.frame else {"before_finishing": True, **of_image}),
        "image": stored.label
        if stored.frame
        else tr("Before the final filters: {label}", label=stored.label),
        "output": record.provenance.get("output", {})
        | {"sha256": hash_array(stored.volume.values)},
    }
    return record.provenance | changed


def export_folder(last_used: str) -> Path:
    """Return the folder to propose: the last one if it exists, otherwise the default one."""
    from engine.io import exports_folder

    return Path(last_used) if last_used and is_folder(last_used) else exports_folder()


def export_name(record: RunRecord, stored: StoredImage) -> str:
    """Return the file name to propose: pseudonym of the scan, protocol and date.

    Parameters
    ----------
    record
        record of the run
    stored
        image to export; its label is added if it is not the result
    """
    ended = str(record.provenance.get("ended_utc", ""))
    made = datetime.fromisoformat(ended) if ended else datetime.now(UTC)
    part = "" if stored.volume is record.result else stored.label
    if record.study is None:
        return default_export_name(record.title, "", made)
    scan = Names.title(record.study).partition(",")[0]
    return default_export_name(scan, record.study.protocol.name, made, part)


def free_bytes(folder: Path) -> int | None:
    """Return the free space of a folder; None if it does not exist."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def note(
    target: Path, volume: Volume, provenance: Plain, frames: Sequence[FrameVolume] = ()
) -> str:
    """Return a note for the user before a volume is written.

    Parameters
    ----------
    target
        file to write
    volume
        image
    provenance
        provenance of the image
    frames
        time frames that are written with it

    Returns
    -------
    str
        empty if there is nothing to note, or if `obstacle` reports a reason
    """
    from engine.io import save_note

    try:
        return save_note(volume, target, provenance, frames)
    except EngineError:
        return ""  # `obstacle` reports the reason


def obstacle(
    target: Path, volume: Volume, provenance: Plain | None = None, n_frames: int = 0
) -> str:
    """Return the reason why a volume cannot be written.

    Parameters
    ----------
    target
        file to write
    volume
        image
    provenance
        provenance of the image; None: that of the volume
    n_frames
        number of time frames that are written with it

    Returns
    -------
    str
        one sentence; empty if it can be written
    """
    from engine.io import can_save, save_note

    try:
        can_save(target)
        save_note(volume, target, provenance)
    except EngineError as e:
        return str(e)
    free = free_bytes(target.parent) or 0
    # Compression is not predictable, so the uncompressed size must fit.
    needed = int(SPARE * volume.values.nbytes * (1 + n_frames))
    if free < needed:
        return tr(
            "{parent}: not enough free disk space ({needed} needed, {free} free); choose another "
            "folder.",
            parent=target.parent,
            needed=size(needed),
            free=size(free),
        )
    return ""


def write(
    volume: Volume,
    target: Path,
    provenance: Plain | None,
    frames: Sequence[FrameVolume] = (),
    order: ImagingOrder | None = None,
) -> Path:
    """Write a volume or its time frames like the command line, completely or not at all.

    Parameters
    ----------
    volume
        image
    target
        file or folder to write; its suffix selects the format
    provenance
        provenance of the image; None: that of the volume
    frames
        time frames; empty: only the volume
    order
        order with the patient of a DICOM series; None: a pseudonym

    Returns
    -------
    Path
        `target`, for the callback of a task
    """
    from engine.io import save, save_frames

    stated = volume.info if provenance is None else provenance
    if order is not None and write_for_order(order, volume, target, stated, frames):
        return target
    if frames:
        save_frames(volume, frames, target, stated)
    else:
        save(volume, target, provenance)
    return target
