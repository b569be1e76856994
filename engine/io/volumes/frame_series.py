"""Write images with time frames: our HDF5, 4-D NIfTI, dynamic DICOM, BIDS, OME-Zarr.

The HDF5 file is a volume file: it contains the sum or mean of the frames, and next to it the frame
values [t, z, y, x] and their times. The times are ends if frames join up from 0, otherwise starts
and ends; gates also have their durations. The file opens as a volume too. NIfTI states times only
if all frames are alike. All times are in its provenance, with BIDS names (FrameTimesStart,
FrameDuration) or, for gates, which have no time of their own, GateDuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import UnknownFormatError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume, TimeFrame, bids_times, join_up
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import write_with_sidecar
from engine.io.bids.dataset import BidsWriter, write_dataset
from engine.io.dicom.reader import series_file
from engine.io.dicom.series import DicomSeriesWriter, write_series
from engine.io.dicom.subject import Subject
from engine.io.folder import is_folder
from engine.io.formats import VOLUME_READERS, writer_of
from engine.io.hdf5.file_seal import seal
from engine.io.hdf5.volume import (
    FRAME_ENDS,
    FRAME_GATES,
    FRAME_TIMES,
    FRAMES,
    VALUES,
    VolumeHdf5Writer,
    fill_volume,
)
from engine.io.hdf5.writer import reserve, write_hdf5
from engine.io.safety.open_input import open_input, refuse_not_finite
from engine.io.volumes.nifti import NiftiWriter, nifti_bytes, packed
from engine.io.volumes.ome_zarr import OmeZarrWriter, write_ome_zarr
from engine.io.volumes.volume_saving import note_written

if TYPE_CHECKING:
    import h5py


def frame_suffixes(*, gated: bool = False) -> tuple[str, ...]:
    """Return the suffixes of formats that can store frames.

    Parameters
    ----------
    gated
        True: formats for gates; False: formats for time frames
    """
    # The other formats state a start and a duration for each image, which gates do not have.
    alike = (*NiftiWriter.suffixes, *VolumeHdf5Writer.suffixes)
    return (
        alike
        if gated
        else (*alike, *DicomSeriesWriter.suffixes, *BidsWriter.suffixes, *OmeZarrWriter.suffixes)
    )


def can_save_frames(path: Path, *, gated: bool = False) -> None:
    """Refuse a file name before the reconstruction if its format cannot store frames.

    Parameters
    ----------
    path
        output file or folder
    gated
        True: gates instead of time frames

    Raises
    ------
    UnknownFormatError
        if the suffix is not that of such a format
    """
    suffixes = frame_suffixes(gated=gated)
    if not path.name.lower().endswith(suffixes):
        raise UnknownFormatError(
            f"{path.name}: this image has several frames or gates, which can only be saved with "
            f"the suffixes {', '.join(suffixes)}; change the file name."
        )


def save_frames(
    volume: Volume,
    frames: Sequence[FrameVolume],
    path: Path,
    provenance: Plain,
    subject: Subject | None = None,
) -> None:
    """Write frames completely or not at all, in the format of the suffix.

    Parameters
    ----------
    volume
        sum or mean of the frames
    frames
        on the same grid, in the same unit
    path
        target
    provenance
        provenance of all frames
    subject
        patient and study of a DICOM series; None: pseudonyms
    """
    # Callers can skip the early check, so the format is checked again.
    can_save_frames(path, gated=any(each.frame.gate for each in frames))
    for each in frames:
        # Check all frames before the first byte is written.
        refuse_not_finite(path, each.volume.values)
    stated = {
        **provenance,
        "axes": volume.axes,
        **bids_times([each.frame for each in frames]),
    }
    if path.name.lower().endswith(NiftiWriter.suffixes):
        write_with_sidecar(path, packed(nifti_bytes(volume, frames), path), volume.unit, stated)
    elif DicomSeriesWriter.ends(path):
        write_series(volume, path, stated, subject, frames)
    elif BidsWriter.ends(path):
        write_dataset(volume, path, stated, frames)
    elif OmeZarrWriter.ends(path):
        write_ome_zarr(volume, path, stated, frames)
    else:
        _write_hdf5(volume, frames, path, stated)
    # Only after writing: the audit log records complete files.
    note_written(path, writer_of(path).name, n_frames=len(frames))


def _write_hdf5(
    volume: Volume, frames: Sequence[FrameVolume], path: Path, provenance: Plain
) -> None:
    values = np.ascontiguousarray(volume.values, "<f4")
    stack = np.stack([np.asarray(each.volume.values, "<f4") for each in frames])
    name, marks = _marks([each.frame for each in frames])
    error, errors = volume.error, dict[str, NDArray[np.generic]]()
    if error is not None:
        # Few images have errors.
        from engine.io.hdf5.error_map import columns_of, columns_of_frames, reserve_errors

        errors = {**columns_of(error), **columns_of_frames([f.volume.error for f in frames])}

    def fill(file: h5py.File) -> None:
        fill_volume(file, volume, values, provenance)
        item = reserve(file, FRAMES, stack)
        item.attrs["units"] = np.bytes_(volume.unit.encode())
        item.attrs["axes"] = np.bytes_(f"t, z, y, x; {volume.axes}")
        # Without the time of writing, equal frames give equal files.
        times = file.create_dataset(name, data=marks, track_times=False)
        times.attrs["units"] = np.bytes_("ms")
        gate_ms = [each.frame.gate.used_ms for each in frames if each.frame.gate]
        if gate_ms:
            gates = file.create_dataset(
                FRAME_GATES, data=np.array(gate_ms, "<i8"), track_times=False
            )
            gates.attrs["units"] = np.bytes_("ms")
        if error is not None:
            reserve_errors(file, errors, volume.unit, error)
        seal(file)

    write_hdf5(path, fill, {VALUES: values, FRAMES: stack, **errors})


def read_frames(path: Path) -> tuple[FrameVolume, ...]:
    """Return the time frames or gates of a volume.

    Parameters
    ----------
    path
        file or folder; a DICOM series can also be named by one of its files

    Returns
    -------
    frames
        empty if the file contains a single image, or no reader accepts it
    """
    found = series_file(path) if is_folder(path) else None
    with open_input(found or path) as file:
        reader = VOLUME_READERS.accepting(file)
        return () if reader is None else reader.frames(file)


def _marks(frames: Sequence[TimeFrame]) -> tuple[str, NDArray[np.int64]]:
    """Return the name and the values of the data set with the frame times [ms]."""
    if join_up(frames):
        ends = [frames[0].start_ms, *(frame.end_ms for frame in frames)]
        return FRAME_ENDS, np.array(ends, "<i8")
    return FRAME_TIMES, np.array([(frame.start_ms, frame.end_ms) for frame in frames], "<i8")
