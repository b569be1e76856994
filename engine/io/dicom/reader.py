"""Read DICOM series of CT, MR and PET as volumes: one series, from one of its files or its folder.

A file states its series. The other files of the series are in the same folder, and a folder must
contain one series. The axes are the patient axes of the file (LPS). Oblique or tilted slices are
resampled to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import (
    EngineError,
    FileFormatError,
    FolderItem,
    GeometryError,
    SeveralItemsError,
)
from engine.core.json_types import Plain
from engine.data.timing.time_frames import MS, FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.auxiliary.mu_units import CONTENT
from engine.io.auxiliary.provenance_file import adjacent_provenance, found_sidecar, provenance_at
from engine.io.base import VolumeReader
from engine.io.dicom.emission import CALLED_A_MAP, NUMBER, OTHER_UNITS, OWN_UNIT, SUMMED
from engine.io.dicom.emission import UNITS as PET_UNITS
from engine.io.dicom.headers import Header, header_at, header_of
from engine.io.dicom.neighbours import LeftOut, headers_in, members_of, names_of, note_on
from engine.io.dicom.pixels import AIR_HU, values_of
from engine.io.dicom.preamble import is_dicom
from engine.io.dicom.slices import Slice, slices_of
from engine.io.dicom.stack import KINDS, affine_of, in_order, refuse_mixed
from engine.io.dicom.storage import object_name
from engine.io.dicom.time_slices import is_dynamic, parted
from engine.io.dicom.tracer_facts import tracer_facts
from engine.io.dicom.uneven import SAME_PLACE_MM, at_even_heights
from engine.io.safety.open_input import InputFile, open_input, refuse_not_finite
from engine.io.safety.ranges import UNITS
from engine.io.volumes.straight_axes import in_own_axes
from engine.io.volumes.tilted_axes import upright

HOUNSFIELD = "HU"


class DicomSeries(VolumeReader):
    """DICOM series of CT, MR or PET."""

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_dicom(file.head)

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        return object_name(file)

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        series = _Series.of(file)
        frames = series.frames()
        if len(frames) > 1:
            return _combined_frames(series, frames)
        image = series.image(series.headers)
        if not frames:
            return image
        # The user can copy one frame of a dynamic series into a folder, and should know that it is
        # not all.
        note = f"One time frame of {frames[0][0].duration_s:g} s from a dynamic series."
        return image.informed(note)

    @classmethod
    def frames(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        """Read the time frames of a dynamic PET series; empty for other series."""
        series = _Series.of(file)
        frames = series.frames()
        return tuple(_images(series, frames)) if len(frames) > 1 else ()


@dataclass(frozen=True)
class _Series:
    """A series whose headers were read.

    Attributes
    ----------
    path : file that was opened
    chosen : its header
    headers : headers of all its files
    info, notes : provenance of a series of this program ({} for others), and notes
    left_out : files of the folder that are not used
    """

    path: Path
    chosen: Header
    headers: list[Header]
    info: Plain
    notes: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    @classmethod
    def of(cls, file: InputFile) -> _Series:
        chosen = header_of(file)
        # First the file itself: a report or a scout gets its own message, not one about its folder.
        refuse_mixed([chosen])
        headers, left_out = _of_series(file.path.parent, chosen.series, file.path)
        refuse_mixed(headers)
        info, notes = _provenance(headers)
        notes = (*notes, *note_on(left_out))
        return cls(file.path, chosen, headers, info or _info(chosen, headers), notes, left_out)

    def frames(self) -> list[tuple[TimeFrame, list[Header]]]:
        """Return the time frames of a dynamic series with their slices; empty for other series."""
        if not is_dynamic(self.headers):
            return []
        # Our own series of a scan without a time of day state the starts in the provenance.
        stated = self.info.get("FrameTimesStart")
        starts_s = [float(each) for each in stated] if isinstance(stated, list) else []
        return parted(self.headers, starts_s)

    def image(self, headers: Sequence[Header]) -> Volume:
        """Return the image of some of the slices."""
        slices = [each for header in headers for each in slices_of(header)]
        # Only PET series state the number of slices (PS3.3 C.8.9.1), which reveals missing ones at
        # the ends.
        stated = self.chosen.text("NumberOfSlices") if self.chosen.text("Modality") == "PT" else ""
        ordered = self._in_order(slices, int(stated) if stated.isdigit() else None)
        unit = _unit(self.chosen)
        air = AIR_HU if unit == HOUNSFIELD else 0.0
        # Scanners mark pixels outside the field of view, often with -2000 or less. As HU they are
        # air.
        values = values_of(headers, ordered, padding=air if unit == HOUNSFIELD else None)
        refuse_not_finite(self.path, values)
        # An affine needs even spacing, so uneven slices are resampled before the matrix is built.
        values, uneven = at_even_heights(ordered, values)
        stored, affine = values.transpose(2, 1, 0), affine_of(ordered, len(values))
        # The transposition makes the array [column, row, slice], the order of the matrix.
        straight, grid, notes = upright(self.path, stored, affine, air)
        volume = Volume(straight, grid, unit, self.info, (*uneven, *notes, *self.notes))
        patient, frame = (self.chosen.text(key) for key in ("PatientID", "FrameOfReferenceUID"))
        volume = replace(volume, patient=patient, frame_of_reference=frame)
        return in_own_axes(self.path, volume)

    def _in_order(self, slices: list[Slice], stated: int | None) -> list[Slice]:
        """Return the slices in order; an error also names ignored files, which may be missing."""
        try:
            return in_order(slices, stated)
        except EngineError as e:
            if not self.left_out:
                raise
            text = f"{e} Files ignored in this folder: {names_of(self.left_out)}."
            raise type(e)(text) from e


def _images(
    series: _Series, frames: Sequence[tuple[TimeFrame, list[Header]]]
) -> Iterator[FrameVolume]:
    """Yield the images of the frames, which must have the same grid."""
    grid: ImageGrid | None = None
    for k, (frame, headers) in enumerate(frames, start=1):
        try:
            volume = series.image(headers)
        except EngineError as e:
            raise type(e)(f"time frame {k} ({frame.describe()}): {e}") from e
        grid = grid or volume.grid
        if volume.grid.shape != grid.shape or not np.allclose(
            [volume.grid.voxel_mm, volume.grid.centre_mm],
            [grid.voxel_mm, grid.centre_mm],
            rtol=0,
            atol=SAME_PLACE_MM,
        ):
            raise GeometryError(
                f"{series.path.parent.name}: time frames 1 and {k} differ in position, matrix size "
                "or voxel size; move each frame to its own folder and open it there."
            )
        # Grids that agree within rounding become identical, so that frames can be compared exactly.
        yield FrameVolume(frame, replace(volume, grid=grid))


def _combined_frames(series: _Series, frames: Sequence[tuple[TimeFrame, list[Header]]]) -> Volume:
    """Return the sum of frames of counts, or the mean of other frames weighted by length."""
    is_sum = _unit(series.chosen) in SUMMED
    counted_s = sum(frame.duration_s for frame, _ in frames)
    # One frame in memory at a time. The first addition broadcasts this to the shape of a frame.
    total: NDArray[np.float64] = np.zeros(1)
    for frame, volume in _images(series, frames):
        weight = 1.0 if is_sum else frame.duration_s / counted_s
        total = total + weight * volume.values.astype(np.float64)
    first_s, last_s = frames[0][0].start_s, frames[-1][0].end_ms / MS
    note = (
        f"{len(frames)} time frames, from {first_s:g} to {last_s:g} s; the summed image is their "
        "sum."
        if is_sum
        else f"{len(frames)} time frames, from {first_s:g} to {last_s:g} s; the summed image is "
        "their mean, weighted by duration."
    )
    return replace(volume, values=total.astype(np.float32)).informed(note)


def series_file(folder: Path) -> Path | None:
    """Return a file of the only series in a folder.

    Returns
    -------
    file
        None if the folder contains no series

    Raises
    ------
    SeveralItemsError
        if it contains several series
    """
    found = series_in(folder)
    if len(found) > 1:
        listed = "; ".join(
            f"{headers[0].describe()}, {headers[0].path.name}, files: {len(headers)}"
            for headers in found.values()
        )
        raise SeveralItemsError(
            f"{folder.name}: contains {len(found)} DICOM series: {listed}. Choose a file from the "
            "series that you want to open.",
            tuple(
                FolderItem(headers[0].path, f"DICOM series {headers[0].describe()}")
                for headers in found.values()
            ),
        )
    return next((headers[0].path for headers in found.values()), None)


def series_in(folder: Path) -> dict[str, list[Header]]:
    """Return the headers of each image series in a folder, by SeriesInstanceUID."""
    found: dict[str, list[Header]] = {}
    for header in headers_in(folder).headers:
        if header.text("Modality") in KINDS and header.is_image and header.series:
            found.setdefault(header.series, []).append(header)
    return found


def series_files(path: Path) -> tuple[Path, ...]:
    """Return all files of the series of a DICOM file; empty for any other file."""
    try:
        chosen = header_at(path)
        if chosen is None or not chosen.is_image:
            return ()
        series = chosen.series
        of_series = (each for each in headers_in(path.parent).headers if each.series == series)
        return tuple(each.path for each in of_series if each.is_image)
    except EngineError:
        return ()


def headers_of(path: Path) -> tuple[Header, ...]:
    """Return the headers of the series of a DICOM file; empty for any other file.

    Parameters
    ----------
    path
        a file of the series

    Raises
    ------
    FileFormatError
        if the file states no series, or two files differ with the same SOPInstanceUID
    """
    chosen = header_at(path)
    return () if chosen is None else tuple(_of_series(path.parent, chosen.series, path)[0])


def _of_series(folder: Path, series: str, chosen: Path) -> tuple[list[Header], tuple[LeftOut, ...]]:
    found, left_out = members_of(headers_in(folder), series, chosen)
    if not series or not found:
        raise FileFormatError(
            f"{chosen.name}: has no SeriesInstanceUID, so the other slices cannot be found; export "
            "the series again."
        )
    return found, left_out


def _unit(header: Header) -> str:
    """Return the unit of the values, "" if the file does not state it."""
    own = OWN_UNIT.search(header.text("ImageComments"))
    if own is not None and own[1] in UNITS:
        return own[1]
    if header.text("Modality") == "CT":
        # A missing RescaleType means HU in CT (PS3.3 C.8.2.1.1.2).
        is_scaled = header.text("RescaleType") in ("", HOUNSFIELD)
        return HOUNSFIELD if is_scaled else ""
    stated = header.text("Units")
    known = {str(stated["Units"]): unit for unit, stated in PET_UNITS.items()} | OTHER_UNITS
    return known.get(stated, "")


def _info(header: Header, headers: Sequence[Header]) -> Plain:
    """Return the facts of a header that are stored; none of them identifies a patient."""
    kilovolts = header.text("KVP")
    scan: Plain = {"voltage_kv": float(kilovolts)} if NUMBER.fullmatch(kilovolts) else {}
    if not is_dynamic(headers):  # frames have times of their own
        scan |= tracer_facts(headers)
    info: Plain = {"format": DicomSeries.name, "kind": header.text("Modality"), "scan": scan}
    called = f"{header.text('SeriesDescription')} {header.text('ImageType')}"
    return info | ({"content": CONTENT} if CALLED_A_MAP.search(called) else {})


def _provenance(headers: Sequence[Header]) -> tuple[Plain, tuple[str, ...]]:
    """Return the provenance of our own series or Enhanced file, {} for any other."""
    only = headers[0].path
    if len(headers) == 1 and found_sidecar(only) is not None:
        with open_input(only) as file:
            return adjacent_provenance(file)
    folder = headers[0].path.parent

    def digest() -> str:
        total = sha256()
        # Sorted by name, which is the order in which the writer computed the digest.
        for header in headers:
            with open_input(header.path) as file:
                total.update(file.read())
        return total.hexdigest()

    return provenance_at(folder, digest)
