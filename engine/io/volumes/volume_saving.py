"""Write a volume in the format of its file name, after checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.data.patient_position import with_axes_facts
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import FRAME, Volume
from engine.io.base import VolumeWriter
from engine.io.dicom.transmission import TRANSMISSION, is_emission
from engine.io.folder import size_of
from engine.io.formats import writer_of
from engine.io.safety import audit_log
from engine.io.safety.budget import free_memory
from engine.io.safety.open_input import refuse_not_finite
from engine.io.volumes.slice_frame import refuse_turned

NO_ERRORS = "This format stores no error map. Save the image as .h5, too."
COPIES = 3
"""Copies of the volume in memory for a writer that does not work piece by piece."""


def save(volume: Volume, path: Path | str, provenance: Plain | None = None) -> None:
    """Write a volume completely or not at all, in the format of the suffix.

    Parameters
    ----------
    volume
        volume without NaN
    path
        file with a suffix of one of `WRITERS`
    provenance
        provenance to store; None: `info` of the volume

    Raises
    ------
    ResourceError
        if the volume is in a file and this format would need too much memory
    UnknownFormatError
        if the format is unknown, or cannot store a rotated slice
    """
    path = Path(path)
    writer = writer_of(path)
    _refuse_larger_than_memory(path, writer, volume)
    refuse_not_finite(path, volume.values)
    refuse_turned(path, writer, is_turned=FRAME in volume.info)
    stated = volume.info if provenance is None else provenance
    stated = {key: fact for key, fact in stated.items() if key != FRAME}  # the header states it
    # The axes belong to the values, so they are stored even if the caller's provenance lacks them.
    stated = with_axes_facts(stated, volume.info)
    writer.write(volume, path, stated)
    note_written(path, writer.name)


def _refuse_larger_than_memory(path: Path, writer: type[VolumeWriter], volume: Volume) -> None:
    """Refuse a format that would load a volume in a file into too little memory."""
    n_bytes, free = COPIES * volume.values.nbytes, free_memory()
    if not volume.is_in_file or writer.in_pieces or n_bytes <= free:
        return
    raise ResourceError(
        f"{path.name}: writing the format {writer.name!r} needs {n_bytes / 2**30:.1f} GiB of "
        f"memory, but {free / 2**30:.1f} GiB are free; write .h5, .nii or .nii.gz, which need less."
    )


def note_written(path: Path, form: str, *, n_frames: int | None = None) -> None:
    """Record a complete image or series in the audit log.

    Parameters
    ----------
    path
        file or folder; the log stores its size, never its name
    form
        name of the format
    n_frames
        number of time frames or gates; None for a single image
    """
    facts: dict[str, int | str] = {"format": form, "bytes": _bytes_of(path)}
    if n_frames is None:
        audit_log.record("volume written", **facts)
    else:
        audit_log.record("frames written", **facts, frames=n_frames)


def _bytes_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder and its folders."""
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(size_of(each) for each in files)


def can_save(path: Path | str, modality: str = "") -> None:
    """Refuse a path that `save` cannot write, before hours are spent on a volume.

    Parameters
    ----------
    path
        file with a suffix of one of `WRITERS`
    modality
        kind of the protocol that will make the volume; "" if unknown
    """
    path = Path(path)
    writer = writer_of(path)
    # A file name that exists, is a folder or has no write permission must fail now, not after the
    # run.
    writer.refuse_place(path)
    if modality:
        writer.refuse_kind(path, is_emission=modality != TRANSMISSION)


def save_note(
    volume: Volume,
    path: Path | str,
    provenance: Plain | None = None,
    frames: Sequence[FrameVolume] = (),
) -> str:
    """Return a note for the user before a volume is written, "" if there is none.

    Parameters
    ----------
    volume
        volume to write
    path
        file with a suffix of one of `WRITERS`
    provenance
        provenance to store; None: `info` of the volume
    frames
        time frames of the volume, if there are any

    Raises
    ------
    DataError
        if the format cannot store images of this kind of scan
    """
    path = Path(path)
    writer = writer_of(path)
    stated = volume.info if provenance is None else provenance
    writer.refuse_kind(path, is_emission=is_emission(volume, stated))
    note = writer.note(volume, stated, frames)
    if volume.error is None or writer.stores_errors:
        return note
    return f"{note} {NO_ERRORS}".strip()
