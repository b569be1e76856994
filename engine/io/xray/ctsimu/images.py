"""Read projections, flats and darks of a CTSimU scan, as named by its metadata or as TIFF series.

A simulation writes NAME_0000.tif and so on, NAME_flat…, NAME_dark…, and NAME_metadata.json into the
folder of the scenario or into `projections` inside it. Only the metadata describe raw images.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.folder import below, entries, is_file, is_folder
from engine.io.safety.open_input import open_input
from engine.io.xray.ctsimu.parts import section, whole
from engine.io.xray.ctsimu.values import ORDERS, TYPES, Quantities
from engine.io.xray.frames import Images, allocate_images, refuse_count
from engine.io.xray.stack import Stack, read_stack, refuse_missing, series
from engine.io.xray.tiff import is_tiff, tiff_of

NUMBER = re.compile(r"%0?\d*d")
REFERENCES = "flat", "dark"
FOLDERS = ".", "projections"
CORRECTED = "corrected", "projections/corrected"


@dataclass(frozen=True)
class ScanImages:
    """Images of a scan.

    Attributes
    ----------
    projections : (n_views, rows, columns)
    flats, darks : (n, rows, columns), None if there are none
    whole_numbers : True if the projections are stored as integers
    is_corrected : True if flat and dark fields are already applied
    """

    projections: Images
    flats: Images | None
    darks: Images | None
    whole_numbers: bool
    is_corrected: bool


@dataclass(frozen=True)
class Raw:
    """Storage of raw images: type, (rows, columns), bytes before the file and before each image."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, int]
    before_file: int
    before_image: int


def named_images(metadata: Path, content: Plain, q: Quantities, notes: list[str]) -> ScanImages:
    """Read the images named by metadata.

    Parameters
    ----------
    metadata
        metadata file, for names and messages
    content
        its JSON
    q
        converter with the number of views
    notes
        notes of the scan, to which some are added

    Raises
    ------
    FileFormatError
        if images are missing, or differ from the metadata
    """
    stated = section(content, "output", "projections")
    raw = _raw(metadata, stated)
    images, is_whole = _images(metadata, stated, raw, q.n_views)
    # Flat and dark images have the storage format of the projections.
    references = {kind: section(stated, f"{kind}_field") for kind in REFERENCES}
    corrected = {
        kind: each.get("projections_corrected") is True for kind, each in references.items()
    }
    found: dict[str, Images | None] = dict.fromkeys(REFERENCES)
    for kind, each in references.items():
        # Metadata name files of references even if the simulation wrote none (number 0).
        if each.get("filename") and each.get("number") != 0 and not corrected["flat"]:
            n_wanted = whole(each.get("number", 1), f"output.projections.{kind}_field.number", q)
            found[kind] = _images(metadata, each, raw, n_wanted)[0]
    # Subtracting the dark field again would be wrong.
    if corrected["dark"] and not corrected["flat"]:
        found["dark"] = None
        notes.append(
            f"{metadata.name}: dark images are already subtracted, but flat images are not applied."
        )
    return ScanImages(images, found["flat"], found["dark"], is_whole, corrected["flat"])


def folders_named(metadata: Path, content: Plain) -> list[Path]:
    """Return the folders of the images named by metadata."""
    stated = section(content, "output", "projections")
    parts = (stated, *(section(stated, f"{kind}_field") for kind in REFERENCES))
    names = [name for part in parts if isinstance(name := part.get("filename"), str) and name]
    return [below(metadata, NUMBER.sub("0", name)).parent for name in names]


def found_images(scenario: Path, q: Quantities, *, corrected: bool) -> ScanImages:
    """Read the TIFF series next to a scenario without metadata.

    Parameters
    ----------
    scenario
        scenario file
    q
        converter with the number of views
    corrected
        True if the scenario states a flat-field correction; corrected series are then preferred

    Raises
    ------
    FileFormatError
        if there is no series, or several
    """
    # Simulations write corrected projections into a subfolder and leave the originals.
    names = (*CORRECTED, *FOLDERS) if corrected else (*FOLDERS, *CORRECTED)
    for name in names:
        folder = scenario.parent / name
        stacks = series(folder) if is_folder(folder) else {}
        views = {prefix: stack for prefix, stack in stacks.items() if not _kind(prefix)}
        if len(views) > 1:
            raise FileFormatError(
                f"{scenario.name}: found {len(views)} series of TIFF images in {folder.name} "
                f"({', '.join(list(views)[:4])}); keep only the series of this scan, or add its "
                "metadata file."
            )
        if views:
            is_corrected = name in CORRECTED or corrected
            return _found(scenario, folder, next(iter(views.values())), q, is_corrected)
    raise FileFormatError(
        f"{scenario.name}: found no projections in its folder or in the subfolder 'projections'; "
        "copy them there. Raw files also need their _metadata.json."
    )


def _found(
    scenario: Path, folder: Path, stack: Stack, q: Quantities, is_corrected: bool
) -> ScanImages:
    refuse_missing(stack, scenario, q.n_views)
    refuse_count(scenario, len(stack), q.n_views)
    images, is_whole = read_stack(stack, scenario)
    references: dict[str, Images | None] = dict.fromkeys(REFERENCES)
    # References of corrected projections would be applied a second time.
    for kind in REFERENCES if not is_corrected else ():
        files = [
            each
            for each in entries(folder)
            if each.suffix.lower() in (".tif", ".tiff") and _kind(each.stem) == kind
        ]
        if files:
            references[kind] = np.concatenate([_pages(each)[0] for each in files])
    return ScanImages(images, references["flat"], references["dark"], is_whole, is_corrected)


def _kind(stem: str) -> str | None:
    """Return "flat" or "dark" for the name of such images, None for projections."""
    # Whole words only: the name of a scan can contain "flat", as in "flatplate_0001".
    words = re.split(r"[_\W\d]+", stem.lower())
    return next((kind for kind in REFERENCES if kind in words), None)


def _images(metadata: Path, stated: Plain, raw: Raw | None, n_wanted: int) -> tuple[Images, bool]:
    """Return the images of one file or of a numbered series, and True if they are integers."""
    pattern = stated.get("filename")
    if not isinstance(pattern, str) or not pattern:
        raise FileFormatError(
            f"{metadata.name}: does not name any images; add their 'filename' to the metadata."
        )
    files = _files(metadata, pattern, n_wanted)
    if not _tiff(files[0]):
        if raw is None:
            raise FileFormatError(
                f"{metadata.name}: names the raw file {files[0].name!r} without a 'datatype'; add "
                "it to the metadata."
            )
        # A single raw file contains all images, a numbered one contains one.
        n_each = n_wanted if len(files) == 1 else 1
        images = [_read_raw(each, raw, n_each) for each in files]
        return np.concatenate(images), raw.dtype.kind in "iu"
    if len(files) == 1:
        pages, is_whole = _pages(files[0])
        refuse_count(metadata, len(pages), n_wanted)
        return pages, is_whole
    return read_stack(Stack(tuple(files), tuple(range(len(files)))), metadata)


def _files(metadata: Path, pattern: str, n_wanted: int) -> list[Path]:
    """Return the files of a name with a number field, in order of their numbers."""
    places = NUMBER.findall(pattern)
    if not places:
        path = below(metadata, pattern)
        if not is_file(path):
            raise FileFormatError(
                f"{metadata.name}: names the file {pattern!r}, which does not exist; copy it, or "
                "correct the metadata."
            )
        return [path]
    if len(places) > 1:
        raise FileFormatError(
            f"{metadata.name}: names {pattern!r}, which has {len(places)} number fields, expected "
            "one; correct the metadata."
        )
    above = below(metadata, NUMBER.sub("0", pattern)).parent
    # Match any number of digits: %04d does not limit numbers above 9999.
    before, after = NUMBER.split(pattern.rpartition("/")[2])
    form = re.compile(f"{re.escape(before)}(?P<number>\\d+){re.escape(after)}$")
    stack = series(above, form).get("", Stack())
    refuse_missing(stack, metadata, n_wanted)
    refuse_count(metadata, len(stack), n_wanted)
    return list(stack.files)


def _raw(metadata: Path, stated: Plain) -> Raw | None:
    """Return the storage of raw images, None if the metadata do not state it."""
    kind = stated.get("datatype")
    if kind is None:
        return None
    if kind not in TYPES:
        raise FileFormatError(
            f"{metadata.name}: 'datatype' is {str(kind)[:20]!r}, expected one of "
            f"{', '.join(TYPES)}; correct the metadata."
        )
    order = stated.get("byteorder") or "little"
    if order not in ORDERS:
        raise FileFormatError(
            f"{metadata.name}: 'byteorder' is {str(order)[:20]!r}, expected little or big; correct "
            "the metadata."
        )
    q = Quantities(metadata, 1)
    sizes = section(stated, "dimensions")
    rows, columns = (
        whole(sizes.get(axis), f"output.projections.dimensions.{axis}", q) for axis in "yx"
    )
    heads = section(stated, "headersize")
    before = [heads.get(name) or 0 for name in ("file", "image")]
    # No header is larger than 1 TiB; such a number is damage.
    if not all(isinstance(each, int) and 0 <= each < 1 << 40 for each in before):
        raise FileFormatError(
            f"{metadata.name}: 'headersize' is {before} bytes, expected integers of at least 0; "
            "correct the metadata."
        )
    dtype = np.dtype(str(kind)).newbyteorder(ORDERS[str(order)])
    return Raw(dtype, (rows, columns), *before)


def _read_raw(path: Path, raw: Raw, n_images: int) -> Images:
    """Return the images of a raw file, which must have exactly the stated size."""
    rows, columns = raw.shape
    n_bytes = rows * columns * raw.dtype.itemsize
    step = raw.before_image + n_bytes
    wanted = raw.before_file + n_images * step
    with open_input(path) as file:
        # Raw images have no header, so the size is the only check of type and dimensions.
        if file.size != wanted:
            raise FileFormatError(
                f"{path.name}: the file has {file.size:,} bytes, expected {wanted:,} for "
                f"{n_images:,} {raw.dtype.name} images of {rows:,} x {columns:,} pixels (rows x "
                "columns), including headers; copy it again or correct the metadata."
            )
        images = allocate_images((n_images, rows, columns), path.name)
        for k in range(n_images):
            at = raw.before_file + k * step + raw.before_image
            images[k] = file.array(raw.dtype, raw.shape, at)
    return images


def _tiff(path: Path) -> bool:
    with open_input(path) as file:
        return is_tiff(file.head)


def _pages(path: Path) -> tuple[Images, bool]:
    with open_input(path) as file:
        image = tiff_of(file)
    # tifffile drops the page axis of a single page.
    pages = image if image.ndim == 3 else image[None]
    return np.asarray(pages, np.float32), image.dtype.kind in "iu"
