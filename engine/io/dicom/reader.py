"""DICOM series of CT, MR and PET as volumes: one series, by one of its files or by its folder.

A file names its series, the others of the series lie beside it. A folder must hold one series. The
patient's axes are those of the file (LPS); oblique or tilted slices are resampled onto them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from engine.data.volume import Volume
from engine.errors import EngineError, FileFormatError
from engine.io.base import VolumeReader
from engine.io.dicom.emission import UNITS as PET_UNITS
from engine.io.dicom.pixels import AIR_HU, values_of
from engine.io.dicom.slices import Header, header_at, header_of, is_dicom, slices_of
from engine.io.dicom.stack import KINDS, affine_of, in_order, refuse_mixed
from engine.io.folder import entries, is_file, state_of
from engine.io.mu_units import CONTENT
from engine.io.open_input import InputFile, open_input, refuse_not_finite
from engine.io.provenance_file import provenance_at
from engine.io.ranges import UNITS
from engine.io.straight_axes import in_scanner_frame
from engine.io.tilted_axes import upright
from engine.plain import Plain

HOUNSFIELD = "HU"
OTHER_UNITS = {"CNTS": "counts"}
CALLED_A_MAP = re.compile(r"umap|mrac|mu.?map|[µμ].?map", re.IGNORECASE)
OWN_UNIT = re.compile(r"Unit of the values: (\S+)\.(?:\s|$)")
"""Our own series say a unit that DICOM does not know in their comments."""


class DicomSeries(VolumeReader):
    """DICOM series of CT, MR or PET."""

    name: ClassVar[str] = "DICOM series"
    suffixes: ClassVar[tuple[str, ...]] = (".dcm", ".ima")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_dicom(file.head)

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        chosen = header_of(file)
        refuse_mixed([chosen])
        headers = _of_series(file.path.parent, chosen.series, file.path)
        refuse_mixed(headers)
        slices = [each for header in headers for each in slices_of(header)]
        said = chosen.text("NumberOfSlices") if chosen.text("Modality") == "PT" else ""
        ordered = in_order(slices, int(said) if said.isdigit() else None)
        unit = _unit(chosen)
        air = AIR_HU if unit == HOUNSFIELD else 0.0
        values = values_of(headers, ordered, padding=air if unit == HOUNSFIELD else None)
        refuse_not_finite(file.path, values)
        stored = values.transpose(2, 1, 0)
        straight, grid, notes = upright(file.path, stored, affine_of(ordered), air)
        info, more = _provenance(headers)
        volume = Volume(straight, grid, unit, info or _info(chosen), (*notes, *more))
        volume = replace(volume, patient=chosen.text("PatientID"))
        return in_scanner_frame(volume) if volume.head_sign < 0 else volume


def series_file(folder: Path) -> Path | None:
    """Return the file that a folder of one series stands for, None where it holds no series.

    Raises
    ------
    FileFormatError
        where it holds several
    """
    found: dict[str, list[Header]] = {}
    for header in _headers(folder):
        if header.text("Modality") in KINDS and header.is_image and header.series:
            found.setdefault(header.series, []).append(header)
    if len(found) > 1:
        listed = "; ".join(
            f"{headers[0].describe()}, {len(headers)} files, such as {headers[0].path.name}"
            for headers in found.values()
        )
        raise FileFormatError(
            f"{folder.name}: holds {len(found)} DICOM series: {listed}. Choose one file of the "
            "series that is meant."
        )
    return next((headers[0].path for headers in found.values()), None)


def series_files(path: Path) -> tuple[Path, ...]:
    """Return all files of the series that a DICOM file is of; none for any other file."""
    try:
        chosen = header_at(path)
        if chosen is None or not chosen.is_image:
            return ()
        return tuple(each.path for each in _of_series(path.parent, chosen.series, path))
    except EngineError:
        return ()


def _of_series(folder: Path, series: str, chosen: Path) -> list[Header]:
    found = [each for each in _headers(folder) if each.series == series and each.is_image]
    if not series or not found:
        raise FileFormatError(
            f"{chosen.name}: names no series, so nobody can tell what belongs to it; export the "
            "series again."
        )
    return found


def _headers(folder: Path) -> tuple[Header, ...]:
    """Return the headers of all DICOM files in a folder, by their names."""
    files = [each for each in entries(folder) if is_file(each)]
    return _headers_in(tuple((each, state_of(each)) for each in files))


@lru_cache(maxsize=2)  # a file is recognised, read and hashed one after another
def _headers_in(states: tuple[tuple[Path, tuple[int, int] | None], ...]) -> tuple[Header, ...]:
    found = (header_at(path) for path, state in states if state is not None and state[0])
    return tuple(header for header in found if header is not None)


def _unit(header: Header) -> str:
    """Return the unit of the values, "" where the file does not say."""
    own = OWN_UNIT.search(header.text("ImageComments"))
    if own is not None and own[1] in UNITS:
        return own[1]
    if header.text("Modality") == "CT":
        is_scaled = header.text("RescaleType") in ("", HOUNSFIELD)
        return HOUNSFIELD if is_scaled else ""
    stated = header.text("Units")
    known = {str(said["Units"]): unit for unit, said in PET_UNITS.items()} | OTHER_UNITS
    return known.get(stated, "")


def _info(header: Header) -> Plain:
    """Return what is kept of a header: nothing that names a patient."""
    kilovolts = header.text("KVP")
    scan: Plain = {"voltage_kv": float(kilovolts)} if _is_number(kilovolts) else {}
    info: Plain = {"format": DicomSeries.name, "kind": header.text("Modality"), "scan": scan}
    called = f"{header.text('SeriesDescription')} {header.text('ImageType')}"
    return info | ({"content": CONTENT} if CALLED_A_MAP.search(called) else {})


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d+(\.\d*)?", text) is not None


def _provenance(headers: Sequence[Header]) -> tuple[Plain, tuple[str, ...]]:
    """Return the provenance of a series of ours, {} for any other."""
    folder = headers[0].path.parent

    def digest() -> str:
        total = sha256()
        for header in headers:
            with open_input(header.path) as file:
                total.update(file.read())
        return total.hexdigest()

    return provenance_at(folder, digest)
