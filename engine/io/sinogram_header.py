"""The header of a sinogram or an image that its data, or their folder, stand for."""

from __future__ import annotations

from pathlib import Path

from engine.io.base import SinogramReader, VolumeReader
from engine.io.folder import entries, is_file, is_folder
from engine.io.interfile import read_header
from engine.io.interfile_image import HEADER, SIEMENS_HEADER, VALUES, InterfileImage
from engine.io.open_input import open_input
from engine.io.provenance_file import sidecar_path
from engine.io.sinogram_interfile import BINS, SUFFIX, InterfileSinogram

HEADERS: dict[str, tuple[type[SinogramReader | VolumeReader], tuple[str, ...]]] = {
    BINS: (InterfileSinogram, (SUFFIX,)),
    VALUES: (InterfileImage, (HEADER, ".ahv", SIEMENS_HEADER)),
}
"""How the data of each kind end: what reads their headers, and how these end."""
MOST_FILES = 3
"""Header, values and provenance of an image."""


def header_for(path: Path) -> Path | None:
    """Return the header that data, or a folder of one sinogram or image, stand for; else None.

    A sinogram may have other files beside it, such as its μ-map. An image has none: a scan beside
    it would be what the folder is dropped for.
    """
    if is_folder(path):
        inside = entries(path)
        found = [each for each in inside if each.suffix.lower() == SUFFIX]
        if found:
            return found[0] if len(found) == 1 else None
        return _only_image(inside)
    if path.suffix.lower() not in HEADERS:
        return None
    reader, endings = HEADERS[path.suffix.lower()]
    stem = path.name[: -len(path.suffix)]
    headers = (path.with_name(stem + ending) for ending in endings)
    return next((each for each in headers if is_file(each) and _names(each, path, reader)), None)


def _only_image(inside: list[Path]) -> Path | None:
    """Return the header of the image that is all that a folder holds."""
    _, endings = HEADERS[VALUES]
    for header in inside if len(inside) <= MOST_FILES else ():
        if not header.name.lower().endswith(endings):
            continue
        others = [each for each in inside if each not in (header, sidecar_path(header))]
        is_all = len(others) == 1 and is_file(others[0])
        return header if is_all and _names(header, others[0], InterfileImage) else None
    return None


def _names(header: Path, data: Path, reader: type[SinogramReader | VolumeReader]) -> bool:
    """Whether a header is of this kind and names these data."""
    with open_input(header) as file:
        return reader.accepts(file) and read_header(file).data_file == data
