"""List every file that is read with one file of a scan: headers, images, maps, sidecars.

The list can contain a file too many, such as an adjacent image that the scan does not use. It must
never lack one, because files that are not listed can be overwritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from engine.core.errors import EngineError
from engine.core.plugins import features
from engine.io import castor, dicom, siemens
from engine.io.auxiliary.provenance_file import found_sidecar
from engine.io.base import ProjectionsReader
from engine.io.dicom.preamble import is_dicom
from engine.io.first_bytes import is_hdf5
from engine.io.folder import entries, is_file, is_folder, linked_path, names_in
from engine.io.format_table import ARRAY
from engine.io.formats import READERS, VOLUME_READERS
from engine.io.interfile.header_search import header_for
from engine.io.safety.open_input import InputFile, open_head, open_input
from engine.io.scanners import MAP_SUFFIXES
from engine.io.text.toml_file import read_toml
from engine.io.xray import find as _xray
from engine.io.xray.names import NUMBERED_IMAGE
from engine.io.xray.readers import PROJECTION_READERS

MAX_TEXT_BYTES = 1 << 23
"""Limit for headers; a sidecar can contain an angle for each view."""
RAW = (".bf", ".dcm", ".ima", ".ptd")
"""Suffixes of Siemens raw data and of the adjacent data files."""
DETACHED = ".nhdr"
"""Suffix of NRRD headers."""
HEADERS = (".mhd", DETACHED, ".hdr", ".hv", ".ahv")
"""Suffixes of headers whose values are in another file."""
MAX_HEADERS = 8
"""Headers that are followed from one to the next."""
WHOLE = rb"(?<![\w.-])%b(?![\w-]|\.\w)"
"""Pattern of a complete name, not part of a longer one."""
LINK = re.compile(rb"\.(?:cxi|h5|hdf|hdf5|he5|nx|nxs)\0", re.IGNORECASE)
"""End of the name of an HDF5 file in a link."""
MAX_LINKS, MAX_NAME_BYTES = 10_000, 255


def files_behind(path: Path, *, by_library: bool = True) -> tuple[Path, ...]:
    """Return all files that are read when a path is opened.

    Parameters
    ----------
    path
        file or folder that the user opens
    by_library
        as for `links_behind`

    Returns
    -------
    files
        the path itself, its header, and every file that the header, an adjacent header or the
        format
        implies; for a DICOM series all of its files
    """
    scan = _scan(path)
    header = _header_of(path) if scan is None else scan[1]
    # A DICOM series is complete in itself. Other files of its folder belong to other series.
    slices = slices_behind(header)
    if slices:
        return tuple(dict.fromkeys((path, *slices, *_provenance_of_series(header))))
    if is_folder(header):
        return tuple(_files_in(header))
    # A file of a scan can name others, or be named by them, so both directions are searched.
    adjacent = [each for each in _files_in(header.parent) if each.name != header.name]
    found = {*_named(header, adjacent), *_naming(header, adjacent), *_maps(adjacent)}
    found |= {*_provenance(header), *parts_behind(header), *raw_behind(header)}
    found |= {*links_behind(header, by_library=by_library)}
    found |= {*(_images(scan, adjacent) if scan is not None else ())}
    return tuple(dict.fromkeys((path, header, *sorted(found))))


def images_behind(path: Path) -> tuple[Path, ...]:
    """Return the images of an X-ray scan: those it names, and numbered series.

    Parameters
    ----------
    path
        settings, an image, a folder, or a slice of a DICOM series

    Returns
    -------
    images
        sorted by name; all files of a DICOM series; empty if this is no X-ray scan
    """
    scan = _scan(path)
    if scan is None and (slices := slices_behind(path)):
        return slices
    if scan is None or is_folder(scan[1]):
        return ()
    if scan[0].spans_folders:
        images = (each for each in _named_by(*scan) if each.suffix.lower() in scan[0].companions)
        return tuple(sorted({*images} - {scan[1]}))
    adjacent = [each for each in _files_in(scan[1].parent) if each.name != scan[1].name]
    found = set(_images(scan, adjacent))
    series: dict[tuple[Path, str], list[Path]] = {}
    for each in found:
        number = NUMBERED_IMAGE.match(each.name)
        if number is not None:
            series.setdefault((each.parent, number["prefix"]), []).append(each)
    # One numbered image alone is a reference or a screenshot, not a series of projections.
    whole = {key: images for key, images in series.items() if len(images) > 1}
    own = {key: images for key, images in whole.items() if _may_read(*scan, key[1])}
    named = found & set(_named(scan[1], adjacent))
    # Exported slices in the folder are not part of the scan. Renamed projections are.
    if not own and not any(each.suffix.lower() in scan[0].companions for each in named):
        own = whole
    return tuple(sorted({*(each for images in own.values() for each in images), *named}))


def _may_read(reader: type[ProjectionsReader], settings: Path, prefix: str) -> bool:
    try:
        return reader.may_read_series(settings, prefix)
    except EngineError:
        return True


def slices_behind(path: Path) -> tuple[Path, ...]:
    """Return all files of the DICOM series of a file; empty for any other file."""
    try:
        is_one = is_dicom(open_head(path))
    except EngineError:
        return ()
    return dicom.series_files(path) if is_one else ()


def raw_behind(path: Path) -> tuple[Path, ...]:
    """Return the other half of a Siemens raw scan: the data file of a header, or the header.

    Returns
    -------
    files
        one file, or none if this is no Siemens raw scan or the other half is missing
    """
    try:
        other = siemens.other_file(path) if path.suffix.lower() in RAW else None
    except EngineError:
        return ()
    return () if other is None else (other,)


def parts_behind(path: Path) -> tuple[Path, ...]:
    """Return the other files of a volume.

    These are the values of a header, and the text file next to an array with its voxel sizes.

    Parameters
    ----------
    path
        file of the volume

    Returns
    -------
    files
        existing files in the same folder; empty for formats with one file
    """
    if ARRAY.ends(path):
        from engine.io.volumes.array_sizes import adjacent_sidecar  # other files have none

        sidecar = adjacent_sidecar(path)
        return () if sidecar is None else (sidecar,)
    if path.suffix.lower() not in HEADERS:
        return ()
    adjacent = [each for each in _files_in(path.parent) if each.name != path.name]
    if path.suffix.lower() == DETACHED:
        return _detached(path)
    # The header of a NIfTI or Analyze pair is binary and does not name its data file.
    pair = [each for each in adjacent if each.name == f"{path.stem}.img"]
    return tuple(dict.fromkeys((*_named(path, adjacent), *pair)))


def links_behind(path: Path, *, by_library: bool = True) -> Iterator[Path]:
    """Yield the files that an HDF5 file refers to.

    Names are also searched as text at both ends of the file, where most programs store links:
    HDF5's library opens no damaged file. Files with names in the text come first, as in earlier
    versions, so that the fingerprints of most scans stay the same.

    Parameters
    ----------
    path
        any file
    by_library
        False searches the text alone. A file can be hostile, and the library could end the process
    """
    linked: tuple[Path, ...] = ()
    try:
        with open_input(path) as file:
            if not is_hdf5(file):
                return
            content = _ends_of(file)
            if by_library:
                from engine.io.hdf5.links import linked_files  # other files do not need h5py

                linked = linked_files(file)
    except EngineError:
        return
    ends = (each.end() - 1 for each in islice(LINK.finditer(content), MAX_LINKS))
    before = (content[max(0, end - MAX_NAME_BYTES) : end] for end in ends)
    # Bytes below a space precede a name.
    names = {re.split(rb"[\0-\x1f]", each)[-1] for each in before}
    named: dict[Path, None] = {}
    for name in sorted(names):
        found = linked_path(path.parent, name.decode(errors="surrogateescape"))
        if found != path and is_file(found):
            named[found] = None
    yield from dict.fromkeys((*named, *linked))


def _ends_of(file: InputFile) -> bytes:
    """Return the content of a file, or both ends of a large one."""
    if file.size <= MAX_TEXT_BYTES:
        return file.read()
    half = MAX_TEXT_BYTES // 2
    end = file.read(half, file.size - half)
    # A name that begins before the end part would be taken for a shorter one.
    return file.read(half, 0) + end[max(0, end.find(b"\0")) :]


def values_behind(path: Path, *, by_library: bool = True) -> Iterator[Path]:
    """Yield the files with the values of a header, or of the settings of an X-ray scan.

    Unlike `files_behind`, the list contains no file that only names this one, such as a study.

    Parameters
    ----------
    path
        file of a scan or of a volume; no error is raised
    by_library
        as for `links_behind`

    Yields
    ------
    file
        each file once, those that are named first
    """
    if is_folder(path):
        return
    seen, headers = {path}, [path]
    for header in headers:
        named = *_named_alone(header), *links_behind(header, by_library=by_library)
        for each in (*raw_behind(header), *named, *_pair_of(header)):
            if each not in seen:
                seen.add(each)
                yield each
                # A main header names headers, which name the values.
                if _is_header(each) and len(headers) < MAX_HEADERS:
                    headers.append(each)
    yield from (each for each in _images_of_settings(path) if each not in seen)


def _is_header(path: Path) -> bool:
    return ".hdr" in path.name.lower() or path.suffix.lower() in (".hs", ".cdh", *HEADERS)


def _named_alone(header: Path) -> Iterator[Path]:
    """Yield adjacent files that a text names by their whole names."""
    try:
        if b"\0" in open_head(header):
            return
        text, names = _text(header), names_in(header.parent)
    except EngineError:
        return
    words = _words(header)
    for name in sorted(names):
        spellings = [each for each in _spellings(name) if each in text]
        if name in words or any(re.search(WHOLE % re.escape(each), text) for each in spellings):
            path = header.parent / name
            if name != header.name and is_file(path):
                yield path


def _pair_of(header: Path) -> Iterator[Path]:
    """Yield the data of a NIfTI or Analyze pair, and of an NRRD header; they are not named."""
    if header.suffix.lower() == DETACHED:
        yield from _detached(header)
    elif header.suffix.lower() == ".hdr" and is_file(header.with_suffix(".img")):
        yield header.with_suffix(".img")


def _images_of_settings(path: Path) -> tuple[Path, ...]:
    """Return the images of an X-ray scan if this file is its settings."""
    try:
        with open_input(path) as file:
            if b"\0" in file.head or PROJECTION_READERS.accepting(file) is None:
                return ()
    except EngineError:
        return ()
    return images_behind(path)


def readers_behind(paths: Iterable[Path]) -> Iterator[type[Any]]:
    """Yield the readers of files, if a plug-in can be among them.

    Parameters
    ----------
    paths
        files of a study
    """
    if not any(each.group == "formats" for each in features()):
        return
    for path in paths:
        try:
            with open_input(path) as file:
                reader = READERS.accepting(file)
        except EngineError:
            continue
        if reader is not None:
            yield reader


def _detached(header: Path) -> tuple[Path, ...]:
    """Return the data files of a detached NRRD header."""
    from engine.io.volumes.nrrd_header import files_named

    try:
        with open_input(header) as file:
            return tuple(each for each in files_named(header, file) if is_file(each))
    except EngineError:
        return ()


def _scan(path: Path) -> _xray.Found | None:
    try:
        return _xray.find(path)
    # A damaged scan has no files to protect beyond the path itself, and the reader will report the
    # damage.
    except (EngineError, OSError):
        return None


def _header_of(path: Path) -> Path:
    """Return the header for a data file; any other path is returned unchanged."""
    try:
        return path if is_folder(path) else header_for(path) or path
    except EngineError:
        return path


def _files_in(folder: Path) -> list[Path]:
    try:
        return [each for each in entries(folder) if is_file(each)]
    except (EngineError, OSError):
        return []


def _named(header: Path, adjacent: Iterable[Path]) -> Iterator[Path]:
    """Yield the files that a header names."""
    text = _text(header)
    words = _words(header)
    for each in adjacent:
        if each.name in words or any(name in text for name in _spellings(each.name)):
            yield each


def _naming(data: Path, adjacent: Iterable[Path]) -> Iterator[Path]:
    """Yield the headers that name a data file."""
    for each in adjacent:
        # Read only files with suffixes of headers: the folder can contain large data.
        is_header = ".hdr" in each.name.lower() or each.suffix.lower() in (
            ".toml",
            ".hs",
            ".cdh",
            *HEADERS,
        )
        if is_header and (data.name in _words(each) or data.name.encode() in _text(each)):
            yield each


def _maps(adjacent: Iterable[Path]) -> Iterator[Path]:
    """Yield crystal maps and look-up tables, for scans that do not state their scanner."""
    for each in adjacent:
        suffix = each.suffix.lower()
        # CSV and HDF5 files are common, so a crystal map is known by its name.
        is_map = "crystal_map" in each.name.lower() and suffix in MAP_SUFFIXES
        if is_map or suffix in (castor.SUFFIX, castor.TEXT_SUFFIX):
            yield each


def _images(scan: _xray.Found, adjacent: Iterable[Path]) -> Iterator[Path]:
    """Yield the images of an X-ray scan: next to its settings, or in a folder that they name."""
    reader, settings = scan
    yield from _named_by(reader, settings)
    endings = (*reader.companions, *_xray.IMAGES, *_xray.LISTS)
    text = _text(settings)
    folders = [each for each in entries(settings.parent) if each.is_dir()]
    # Settings can name the folder of the images instead of each image.
    inner = [each for each in folders if any(name in text for name in _spellings(each.name))]
    for each in (*adjacent, *(file for folder in inner for file in _files_in(folder))):
        if each.name.lower().endswith(endings):
            yield each


def _named_by(reader: type[ProjectionsReader], settings: Path) -> Iterator[Path]:
    """Yield files of a scan in other folders."""
    try:
        yield from reader.files_elsewhere(settings)
    except EngineError:
        return


def _provenance(volume: Path) -> Iterator[Path]:
    """Yield the provenance file of a volume."""
    sidecar = found_sidecar(volume)
    if sidecar is not None and any(each.ends(volume) for each in VOLUME_READERS.entries):
        yield sidecar


def _provenance_of_series(file: Path) -> tuple[Path, ...]:
    sidecar = found_sidecar(file.parent)
    return () if sidecar is None else (sidecar,)


def _text(path: Path) -> bytes:
    """Return the content of a text file; b"" for any other file."""
    try:
        with open_input(path) as file:
            # A zero byte marks binary content, so a large file counts as binary.
            content = file.read() if file.size <= MAX_TEXT_BYTES else b"\0"
    except EngineError:
        return b""
    return b"" if b"\0" in content else content


def _words(path: Path) -> frozenset[str]:
    """Return every string in a TOML file, without its escapes."""
    # TOML can escape letters in a name, so a search for its bytes is not enough.
    if path.suffix.lower() != ".toml":
        return frozenset()
    try:
        return frozenset(_texts_in(read_toml(path)))
    except EngineError:
        return frozenset()


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts_in(each)


def _spellings(name: str) -> tuple[bytes, ...]:
    """Return a file name in the encodings of current and of older headers."""
    # Headers of older programs store names in Latin-1, not in UTF-8.
    return name.encode(errors="surrogateescape"), name.encode("latin-1", "replace")
