"""The header of a sinogram or an image that its data, or their folder, stand for."""

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
from engine.io.volumes.analyze import AnalyzeVolume
from engine.io.volumes.nifti_pair import NiftiPair

Reader = type[SinogramReader | VolumeReader]
HEADERS: dict[str, tuple[tuple[str, Reader], ...]] = {
    BINS: ((SUFFIX, InterfileSinogram), (sinogram.SUFFIX, SiemensSinogram)),
    VALUES: tuple((end, InterfileImage) for end in (HEADER, ".ahv", SIEMENS_HEADER)),
    nifti_pair.VALUES: tuple((".hdr", each) for each in (NiftiPair, AnalyzeVolume, InterfileImage)),
}
"""Data suffix of each kind -> header suffix and header reader."""
MAIN_HEADER = ".mhdr"
MOST_FILES = 3
"""Header, values and provenance of an image."""


def header_of_values(path: Path) -> Path | None:
    """Return the header that data, or a folder of one sinogram or image, stand for; else None.

    A sinogram may have other files beside it, such as its μ-map. An image has none: a scan beside
    it would be what the folder is dropped for.
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
    """Return the header of the image that is all that a folder holds."""
    endings = tuple(ending for ending, _ in HEADERS[VALUES])
    for header in inside if len(inside) <= MOST_FILES else ():
        if not header.name.lower().endswith(endings):
            continue
        others = [each for each in inside if each not in (header, sidecar_path(header))]
        is_all = len(others) == 1 and is_file(others[0])
        return header if is_all and _names(header, others[0], InterfileImage) else None
    return None


def _has_data(header: Path) -> bool:
    """Whether the data that a header names are there, so that it is what a folder stands for."""
    with open_input(header) as file:
        return not is_interfile(file.head) or is_file(read_header(file).data_file)


def _names(header: Path, data: Path, reader: Reader) -> bool:
    """Whether a header is of this kind and names these data, or says none and has their name."""
    with open_input(header) as file:
        if not reader.accepts(file):
            return False
        return not is_interfile(file.head) or read_header(file).data_file == data
