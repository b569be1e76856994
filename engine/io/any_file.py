"""Any scan or volume, read and written by one function each."""

from __future__ import annotations

from pathlib import Path

from engine import io
from engine.core.checked import checked
from engine.core.errors import UnknownFormatError
from engine.core.json_types import Plain
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.data.scan import Scan
from engine.data.sinogram import Sinogram
from engine.data.volume import Volume
from engine.io import interfile, recogniser
from engine.io.formats import listed
from engine.io.safety.open_input import open_input
from engine.io.xray.find import find


@checked()
def read(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> Scan | Volume:
    """Read a scan or volume of any supported format, which is recognised by content.

    Parameters
    ----------
    path
        a list-mode scan, a histogram, a sinogram, X-ray projections or a volume
    scanner
        name of a built-in scanner, a scanner file or a crystal map, for list mode and histograms
        that
        do not state their scanner
    complete_events
        use the complete events of list mode that ends within a record; such a file is refused
        otherwise

    Returns
    -------
    data
        events, counts, projections or a volume, in the units of the conventions

    Raises
    ------
    EngineError
        if no reader accepts the file, or the file is damaged; the message states the remedy

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid(shape=(2, 3, 4), voxel_mm=(1.0, 1.0, 2.0))
    >>> engine.save(engine.Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), "ones.h5")
    >>> engine.read("ones.h5").unit
    '1/mm'
    """
    path = io.file_to_open(path)
    # X-ray scans come first: their reader can depend on the files next to the path, such as a log
    # file next to TIFF images, and not only on the file itself.
    if io.is_projections(path):
        return io.read_projections(path)
    with open_input(path, may_be_cut=complete_events) as file:
        # The order matters for Interfile headers and Siemens DICOM: list mode, sinograms and images
        # begin with the same bytes.
        counts = io.LISTMODE_READERS.accepting(file) or io.HISTOGRAM_READERS.accepting(file)
        if counts is not None:
            return counts.read(file, scanner=scanner)
        values = io.SINOGRAM_READERS.accepting(file) or io.VOLUME_READERS.accepting(file)
        if values is not None:
            return values.read(file)
        # A format that we know but do not read gets its own advice instead of a list of suffixes.
        known = recogniser.recognised(file)
        if known is not None:
            # Raised within the block, so that a file that is still being copied gets that message
            # instead.
            raise UnknownFormatError(known.refuse(file))
    raise UnknownFormatError(
        f"{path.name}: unknown file format; choose a scan or volume in one of these formats: "
        f"{listed(io.READERS)}."
    )


def format_of_scan(path: Path) -> str:
    """Return the exact format of a scan, such as "NXtomo".

    Parameters
    ----------
    path
        file or folder of the scan

    Returns
    -------
    name
        name of the format; empty if the file is not a scan
    """
    found = find(path)
    if found is not None:
        with open_input(found[1]) as file:
            return found[0].format_of(file)
    with open_input(io.scan_file(path)) as file:
        return io.SCAN_READERS.format_of(file)


def format_of_volume(path: Path) -> str:
    """Return the exact format of a volume, such as "NIfTI-1"; empty if it is none."""
    with open_input(io.scan_file(path)) as file:
        return io.VOLUME_READERS.format_of(file)


@checked()
def save(data: Scan | Volume, path: Path | str, provenance: Plain | None = None) -> None:
    """Write a volume or a scan, completely or not at all.

    Parameters
    ----------
    data
        A volume is written in the format of the suffix, such as .nii.gz, .h5 or .png. Events and
        histograms go to .h5, sinograms to .hs, projections to .h5, .nxs or .toml.
    path
        target; an existing file is replaced
    provenance
        origin of a volume; None uses its own `info`

    Raises
    ------
    EngineError
        if the file or format cannot be written, or if values are NaN or infinite

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid(shape=(2, 3, 4), voxel_mm=(1.0, 1.0, 2.0))
    >>> volume = engine.Volume(np.zeros(grid.shape, np.float32), grid, "counts/mm")
    >>> engine.save(volume, "empty.nii.gz")
    >>> engine.read("empty.nii.gz").grid == grid
    True
    """
    path = Path(path)
    match data:
        case Volume():
            io.save(data, path, provenance)
        case ListMode():
            io.write_listmode(data, path)
        case Histogram():
            io.write_histogram(data, path)
        case Sinogram():
            interfile.write_sinogram(data, path)
        case Projections():
            io.save_projections(data, path)
        case _:
            raise UnknownFormatError(
                f"{path.name}: data of type {type(data).__name__!r} cannot be written; pass a "
                "volume or a scan."
            )
