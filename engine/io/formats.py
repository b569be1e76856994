"""Registry of formats: readers, writers, and the suffixes of their files.

A format is one class in one file and one entry in a table of `engine.io.format_table`. File
dialogs, the list of exports, the command line and file recognition use these tables. The module of
a format is imported when a file needs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import UnknownFormatError
from engine.io.format_list import Entry, FormatList
from engine.io.format_table import HISTOGRAM, LISTMODE, SINOGRAM, VOLUME, WRITER
from engine.io.xray.readers import PROJECTION_READERS

if TYPE_CHECKING:
    from engine.io.base import (
        Format,
        HistogramReader,
        ListModeReader,
        SinogramReader,
        VolumeReader,
        VolumeWriter,
    )

    Formats = Iterable[type[Format]]

LISTMODE_READERS: FormatList[ListModeReader] = FormatList(LISTMODE, "ListModeReader")
HISTOGRAM_READERS: FormatList[HistogramReader] = FormatList(HISTOGRAM, "HistogramReader")
SINOGRAM_READERS: FormatList[SinogramReader] = FormatList(SINOGRAM, "SinogramReader")
VOLUME_READERS: FormatList[VolumeReader] = FormatList(VOLUME, "VolumeReader")
WRITERS: FormatList[VolumeWriter] = FormatList(WRITER, "VolumeWriter")
"""Writers of volumes, in the order of dialogs and help."""
# Scans precede volumes: an X-ray scan in TIFF or DICOM would otherwise be read as an image.
SCAN_READERS: FormatList[Any] = FormatList(
    (LISTMODE_READERS, HISTOGRAM_READERS, SINOGRAM_READERS, PROJECTION_READERS)
)
READERS: FormatList[Any] = FormatList((SCAN_READERS, VOLUME_READERS))
OTHER_SUFFIXES = {
    ".dcm": ".dicom",
    ".hdf5": ".h5",
    ".hdr": ".hv",
    ".jpeg": ".png",
    ".jpg": ".png",
    ".mhd": ".mha",
    ".nifti": ".nii.gz",
    ".nifty": ".nii.gz",
    ".zarr": ".ome.zarr",
}
"""Suffixes of other programs, with the one that this program writes."""


def writer_of(path: Path) -> type[VolumeWriter]:
    """Return the writer for the suffix of a file name.

    Raises
    ------
    UnknownFormatError
        if no output format has this suffix
    """
    writer = WRITERS.ending(path)
    if writer is not None:
        return writer
    near = _near_suffix(path)
    meant = f" Did you mean {near!r}?" if near else ""
    raise UnknownFormatError(
        f"{path.name}: files with this suffix cannot be written; choose one of these formats: "
        f"{listed(WRITERS)}.{meant}"
    )


def _near_suffix(path: Path) -> str:
    """Return the suffix that a misspelt one probably means; empty if none is similar."""
    from difflib import get_close_matches  # imported only for an error

    given, known = path.suffix.lower(), suffixes_of(WRITERS)
    if given in OTHER_SUFFIXES:
        return OTHER_SUFFIXES[given]
    # The first entry decides between equals, so .nii.gz precedes .nii
    return next(iter(get_close_matches(given, known, n=1)), "") if given else ""


def suffixes_of(formats: Formats) -> tuple[str, ...]:
    """Return the suffixes of these formats and of their companions, each once, in order."""
    found = (each for one in _facts(formats) for each in (*one.suffixes, *one.companions))
    return tuple(dict.fromkeys(found))


def default_suffixes(formats: Formats) -> str:
    """Return the first suffix of each format as text: ".nii.gz, .h5, .png"."""
    return ", ".join(one.suffixes[0] for one in _facts(formats))


def listed(formats: Formats) -> str:
    """Return names and suffixes of formats as text for messages."""
    return ", ".join(f"{one.name} ({', '.join(one.suffixes)})" for one in _facts(formats))


def _facts(formats: Formats) -> Iterable[Entry | type[Format]]:
    """Return objects with name and suffixes, without loading formats of a list."""
    return formats.entries if isinstance(formats, FormatList) else formats
