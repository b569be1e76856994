"""Find the header of a sinogram or image from its data file or folder."""

from __future__ import annotations

from pathlib import Path

from engine.io.auxiliary.provenance_file import sidecar_path
from engine.io.base import SinogramReader, VolumeReader
from engine.io.folder import entries, is_file, is_folder
from engine.io.interfile.header import is_interfile, read_header
from engine.io.interfile.image import HEADER, SIEMENS_HEADER, VALUES, InterfileImage
from engine.io.interfile.sinogram import BINS, SUFFIX, InterfileSinogram
from engine.io.safety.open_input import open_input
from engine.io.siemens import sinogram
from engine.io.siemens.folder import siemens_folder
from engine.io.siemens.sinogram import SiemensSinogram
from engine.io.volumes import nifti_pair
from engine.io.volumes.nifti_pair import AnalyzeVolume, NiftiPair

Reader = type[SinogramReader | VolumeReader]
HEADERS: dict[str, tuple[tuple[str, Reader], ...]] = {
    BINS: ((SUFFIX, InterfileSinogram), (sinogram.SUFFIX, SiemensSinogram)),
    VALUES: tuple((end, InterfileImage) for end in (HEADER, ".ahv", SIEMENS_HEADER)),
    nifti_pair.VALUES: tuple((".hdr", each) for each in (NiftiPair, AnalyzeVolume, InterfileImage)),
}
"""Suffix of data -> suffix and reader of each possible header."""
MAIN_HEADER = ".mhdr"
MAX_FILES = 3
"""Header, data and provenance of an image."""


def header_of_values(path: Path) -> Path | None:
    """Return the header of a data file, or of a folder with one sinogram or image.

    A folder with a sinogram can contain other files, such as its μ-map. A folder with an image
    cannot, because the user would want to open a scan next to it.

    Parameters
    ----------
    path
        data file, main header of Siemens, or folder

    Returns
    -------
    header
        None if there is none, or more than one
    """
    if is_folder(path):
        inside = entries(path)
        found = [each for each in inside if each.suffix.lower() == SUFFIX]
        if found:
            return found[0] if len(found) == 1 and _has_data(found[0]) else None
        return _counts_of_siemens(path) or _only_image(inside)
    if path.suffix.lower() == MAIN_HEADER:
        return _counts_of_siemens(path)
    if path.suffix.lower() not in HEADERS:
        return None
    # Headers are tried in the order of the table, because ".hdr" belongs to three formats.
    stem = path.name[: -len(path.suffix)]
    for ending, reader in HEADERS[path.suffix.lower()]:
        header = path.with_name(stem + ending)
        if is_file(header) and _names(header, path, reader):
            return header
    return None


def _counts_of_siemens(path: Path) -> Path | None:
    found = siemens_folder(path)
    return None if found is None else found.counts


def _only_image(inside: list[Path]) -> Path | None:
    """Return the header of the image if the folder contains nothing else."""
    endings = tuple(ending for ending, _ in HEADERS[VALUES])
    for header in inside if len(inside) <= MAX_FILES else ():
        if not header.name.lower().endswith(endings):
            continue
        others = [each for each in inside if each not in (header, sidecar_path(header))]
        is_all = len(others) == 1 and is_file(others[0])
        return header if is_all and _names(header, others[0], InterfileImage) else None
    return None


def _has_data(header: Path) -> bool:
    """Return True if the data file of a header exists."""
    with open_input(header) as file:
        return not is_interfile(file.head) or is_file(read_header(file).data_file)


def _names(header: Path, data: Path, reader: Reader) -> bool:
    """Return True if a header is of this kind and belongs to the data file."""
    with open_input(header) as file:
        if not reader.accepts(file):
            return False
        # NIfTI and Analyze headers name no file: their data have the same name.
        return not is_interfile(file.head) or read_header(file).data_file == data
