"""Any scan or volume, read and written by one function each."""

from __future__ import annotations

from functools import singledispatch
from pathlib import Path

from engine import io
from engine.core.errors import UnknownFormatError
from engine.core.json_types import Plain
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.data.sinogram import Sinogram
from engine.data.volume import Volume
from engine.io import interfile, recogniser
from engine.io.formats import listed, reader_of
from engine.io.safety.open_input import open_input
from engine.io.xray.find import find

Scan = ListMode | Histogram | Sinogram | Projections


def read(
    path: Path | str, *, scanner: str | None = None, complete_events: bool = False
) -> Scan | Volume:
    """Read any scan or volume; what is in the file decides.

    Parameters
    ----------
    path
        a list-mode scan, a histogram, X-ray projections or a volume
    scanner
        name of a scanner that comes with us, a scanner file or a crystal map, where the scan does
        not say which
    complete_events
        use the complete events of list mode that ends within a record, which is refused otherwise

    Returns
    -------
    data
        events, counts, projections or a volume, in the units of the conventions

    Raises
    ------
    EngineError
        where the file is of no known format, or damaged; the sentence says what to do

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid(shape=(2, 3, 4), voxel_mm=(1.0, 1.0, 2.0))
    >>> engine.save(engine.Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), "ones.h5")
    >>> engine.read("ones.h5").unit
    '1/mm'
    """
    path = io.file_to_open(path)
    if io.is_projections(path):
        return io.read_projections(path)
    with open_input(path, may_be_cut=complete_events) as file:
        events = reader_of(io.LISTMODE_READERS, file)
        if events is not None:
            return events.read(file, scanner=scanner)
        counts = reader_of(io.HISTOGRAM_READERS, file)
        if counts is not None:
            return counts.read(file, scanner=scanner)
        sinogram = reader_of(io.SINOGRAM_READERS, file)
        if sinogram is not None:
            return sinogram.read(file)
        volume = reader_of(io.VOLUME_READERS, file)
        if volume is not None:
            return volume.read(file)
        known = recogniser.recognised(file)
        if known is not None:
            raise UnknownFormatError(known.refuse(file))
    raise UnknownFormatError(
        f"{path.name}: unknown scan or volume; readable formats:  {listed(io.READERS)}."
    )


def format_of_scan(path: Path) -> str:
    """Return the exact format of a scan, such as "NXtomo"; empty if it is none."""
    found = find(path)
    if found is not None:
        with open_input(found[1]) as file:
            return found[0].format_of(file)
    with open_input(io.scan_file(path)) as file:
        reader = reader_of(io.SCAN_READERS, file)
        return "" if reader is None else reader.format_of(file)


def format_of_volume(path: Path) -> str:
    """Return the exact format of a volume, such as "NIfTI-1"; empty if it is none."""
    with open_input(io.scan_file(path)) as file:
        reader = reader_of(io.VOLUME_READERS, file)
        return "" if reader is None else reader.format_of(file)


@singledispatch
def save(data: Scan | Volume, path: Path | str, provenance: Plain | None = None) -> None:
    """Write a volume or a scan, whole or not at all.

    Parameters
    ----------
    data
        a volume goes into the format that the name ends with: .nii.gz, .h5 or .png; events and
        histograms into .h5, sinograms into .hs, projections into .h5, .nxs or .toml
    path
        where to; a file that is there is replaced
    provenance
        where a volume comes from; its own `info` if None

    Raises
    ------
    EngineError
        where the place or the format cannot be written, or values are not numbers

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid(shape=(2, 3, 4), voxel_mm=(1.0, 1.0, 2.0))
    >>> volume = engine.Volume(np.zeros(grid.shape, np.float32), grid, "counts/mm")
    >>> engine.save(volume, "empty.nii.gz")
    >>> engine.read("empty.nii.gz").grid == grid
    True
    """
    raise UnknownFormatError(
        f"{Path(path).name}: a {type(data).__name__} cannot be written; pass a volume or a scan."
    )


@save.register
def _(data: Volume, path: Path | str, provenance: Plain | None = None) -> None:
    io.save(data, path, provenance)


@save.register
def _(data: ListMode, path: Path | str, provenance: Plain | None = None) -> None:
    io.write_listmode(data, Path(path))


@save.register
def _(data: Histogram, path: Path | str, provenance: Plain | None = None) -> None:
    io.write_histogram(data, Path(path))


@save.register
def _(data: Sinogram, path: Path | str, provenance: Plain | None = None) -> None:
    interfile.write_sinogram(data, Path(path))


@save.register
def _(data: Projections, path: Path | str, provenance: Plain | None = None) -> None:
    io.save_projections(data, Path(path))
