"""Write a volume in the format of its file name, after checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.data.patient_position import axes_facts
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.base import VolumeWriter
from engine.io.dicom.kind_of_scan import TRANSMISSION, is_emission
from engine.io.folder import size_of
from engine.io.formats import writer_of
from engine.io.safety import audit_log
from engine.io.safety.budget import free_memory
from engine.io.safety.open_input import refuse_not_finite
from engine.io.volumes.slice_frame import FRAME, refuse_turned

COPIES = 3
"""Volumes in memory that a writer takes which does not go piece by piece."""


def save(volume: Volume, path: Path | str, provenance: Plain | None = None) -> None:
    """Write a volume in the format its name ends with; whole, or not at all.

    Parameters
    ----------
    volume
        what to write; NaN is refused
    path
        ends like one of `WRITERS`
    provenance
        where the volume comes from; its own `info` if None
    """
    path = Path(path)
    writer = writer_of(path)
    _refuse_larger_than_memory(path, writer, volume)
    refuse_not_finite(path, volume.values)
    refuse_turned(path, writer, is_turned=FRAME in volume.info)
    said = volume.info if provenance is None else provenance
    said = {key: fact for key, fact in said.items() if key != FRAME}  # the header states it
    said = {**said, **axes_facts(volume.info)}
    writer.write(volume, path, said)
    note_written(path, writer.name)


def _refuse_larger_than_memory(path: Path, writer: type[VolumeWriter], volume: Volume) -> None:
    """Refuse to write a volume that lies in a file by what would take it into memory."""
    n_bytes, free = COPIES * volume.values.nbytes, free_memory()
    if not volume.is_in_file or writer.in_pieces or n_bytes <= free:
        return
    raise ResourceError(
        f"{path.name}: writing {writer.name} needs {n_bytes / 2**30:.1f} GiB of memory, but "
        f"{free / 2**30:.1f} GiB are free; write .h5, .nii or .nii.gz, which need less."
    )


def note_written(path: Path, form: str, *, n_frames: int | None = None) -> None:
    """Tell the audit log of an image, or of frames of time, that is whole at its place.

    Parameters
    ----------
    path
        file or folder; the log has its size, never its name
    form
        name of the format
    n_frames
        frames of time or gates, None of one image
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
    """Refuse, before hours are spent on a volume, a place or a format `save` cannot write.

    Parameters
    ----------
    path
        ends like one of `WRITERS`
    modality
        kind of the protocol that will make the volume, where it is known
    """
    path = Path(path)
    writer = writer_of(path)
    writer.refuse_place(path)
    if modality:
        writer.refuse_kind(path, is_emission=modality != TRANSMISSION)


def save_remark(
    volume: Volume,
    path: Path | str,
    provenance: Plain | None = None,
    frames: Sequence[FrameVolume] = (),
) -> str:
    """Return what to know before a volume is written to `path`; empty where there is nothing.

    Raises
    ------
    DataError
        where the format has no place for images of its kind of scan
    """
    path = Path(path)
    writer = writer_of(path)
    said = volume.info if provenance is None else provenance
    writer.refuse_kind(path, is_emission=is_emission(volume, said))
    return writer.remark(volume, said, frames)
