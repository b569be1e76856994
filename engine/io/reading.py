"""Read scans, volumes and normalisations of any format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner
from engine.io.auxiliary.mu_map import as_mu_map
from engine.io.format_list import FormatList
from engine.io.formats import (
    HISTOGRAM_READERS,
    LISTMODE_READERS,
    SINOGRAM_READERS,
    VOLUME_READERS,
)
from engine.io.safety.open_input import open_input
from engine.io.scan_files import file_to_open
from engine.io.unknown import unknown
from engine.io.xray import find as _xray

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.data.components import Components
    from engine.data.histogram import Histogram
    from engine.data.sinogram import Sinogram

Scan = TypeVar("Scan", ListMode, "Histogram")


def is_histogram(path: Path | str) -> bool:
    """Return True if a file is a histogram of a dual-head scanner."""
    with open_input(Path(path)) as file:
        return HISTOGRAM_READERS.accepting(file) is not None


def read_histogram(
    path: Path | str,
    scanner: str | None = None,
    efficiencies: Path | None = None,
    *,
    complete_events: bool = False,
    merge_layers: bool = False,
) -> Histogram:
    """Read a histogram of a dual-head scanner, or count the events of its list mode.

    Parameters
    ----------
    path
        a histogram or a list-mode scan
    scanner
        name of a built-in scanner, or path of its file; None if the scan states its scanner
    efficiencies
        file with the efficiency of every crystal in all layers; None uses those of the scan
    complete_events
        count the complete events of list mode that ends within a record; it is refused otherwise
    merge_layers
        add the counts of all layers of crystals

    Raises
    ------
    UnknownFormatError
        if the file is neither a histogram nor list mode
    """
    from engine.data.histogram import histogrammed, merged  # other scans do not need it

    with open_input(Path(path), may_be_cut=complete_events) as file:
        # A stored histogram is preferred, because counting events again takes much longer.
        reader = HISTOGRAM_READERS.accepting(file)
        if reader is not None:
            found = _with_efficiencies(reader.read(file, scanner=scanner), efficiencies)
            return merged(found) if merge_layers else found
        events = LISTMODE_READERS.accepting(file)
        if events is not None:
            scan = events.read(file, scanner=scanner)
            # Before layers are merged, because each layer has its own crystals and efficiencies.
            scan = _with_efficiencies(scan, efficiencies)
            return histogrammed(scan, merge_layers=merge_layers)
        # The message lists all formats that would have been accepted.
        known = FormatList[Any]((*HISTOGRAM_READERS.entries, *LISTMODE_READERS.entries))
        raise unknown(file, "histogram or list-mode scan", known)


def _with_efficiencies(scan: Scan, path: Path | None) -> Scan:
    return (
        scan if path is None else replace(scan, efficiencies=read_efficiencies(path, scan.scanner))
    )


def read_sinogram(path: Path | str) -> Sinogram:
    """Read a sinogram of a ring scanner: counts, or factors and expected counts of its bins.

    Raises
    ------
    UnknownFormatError
        if no reader of sinograms accepts the file
    """
    with open_input(Path(path)) as file:
        reader = SINOGRAM_READERS.accepting(file)
        if reader is not None:
            return reader.read(file)
        raise unknown(file, "sinogram", SINOGRAM_READERS)


def read_volume(path: Path | str) -> Volume:
    """Read a volume, axis-aligned in mm LPS.

    Parameters
    ----------
    path
        file of the volume, one of its DICOM files, or a folder with one image

    Raises
    ------
    UnknownFormatError
        if no reader of volumes accepts the file
    """
    with open_input(file_to_open(path)) as file:
        reader = VOLUME_READERS.accepting(file)
        if reader is not None:
            return reader.read(file)
        raise unknown(file, "volume", VOLUME_READERS)


def is_projections(path: Path | str) -> bool:
    """Return True if a file or folder is an X-ray scan."""
    return _xray.find(Path(path)) is not None


def read_mu_map(path: Path | str, scanner: Scanner | None) -> Volume:
    """Read a μ-map [1/mm at 511 keV].

    Parameters
    ----------
    path
        volume with attenuation coefficients or Hounsfield units
    scanner
        scanner whose bore must contain the map; None skips this check

    Raises
    ------
    EngineError
        if the file is not a volume, or its values cannot be attenuation coefficients
    """
    path = Path(path)
    return as_mu_map(read_volume(path), scanner, path)


def read_components(path: Path | str, scanner: Scanner) -> Components:
    """Read the components of a scanner's normalisation.

    Parameters
    ----------
    path
        our normalisation file, a CASToR normalisation, or crystal efficiencies, which become the
        only
        component
    scanner
        scanner that the components must fit
    """
    from engine.io.hdf5 import normalisation  # few scans have a normalisation

    return normalisation.read_components(Path(path), scanner)


def read_efficiencies(path: Path | str, scanner: Scanner) -> NDArray[np.float32]:
    """Read the detection efficiency of each crystal.

    Parameters
    ----------
    path
        HDF5 file or table of numbers
    scanner
        scanner that the efficiencies must fit

    Returns
    -------
    efficiencies
        shape (n_crystals,), relative
    """
    from engine.io.auxiliary import efficiencies

    return efficiencies.read_efficiencies(Path(path), scanner)
