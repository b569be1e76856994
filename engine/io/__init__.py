"""Files in and out: one file per format, and the few functions everyone uses.

A new format is one class in one file and its name in `engine.io.formats`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.core.paths import config_dir
from engine.data.components import Components
from engine.data.histogram import Histogram, histogrammed, merged
from engine.data.listmode import ListMode
from engine.data.sinogram import Sinogram
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner
from engine.io.auxiliary import efficiencies
from engine.io.auxiliary.calibration_file import write_calibration
from engine.io.auxiliary.mu_map import as_mu_map
from engine.io.auxiliary.tracer_file import write_tracer
from engine.io.dicom.reader import is_in_patient_axes
from engine.io.formats import (
    HISTOGRAM_READERS,
    LISTMODE_READERS,
    READERS,
    SCAN_READERS,
    SINOGRAM_READERS,
    VOLUME_READERS,
    WRITERS,
    AnyReader,
    reader_of,
    suffixes_of,
    usual_suffixes,
)
from engine.io.hdf5 import normalisation
from engine.io.hdf5.histogram import write_histogram
from engine.io.hdf5.listmode import write_listmode
from engine.io.inspection import inspect
from engine.io.listmode.files import listmode_facts, open_pieces, read_listmode
from engine.io.raster.film import FILM_SUFFIXES, write_film
from engine.io.report import Report
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import open_input as _open_input
from engine.io.safety.outputs import existing, exports_folder, files_written, refuse_inputs
from engine.io.scan_files import file_to_open, read_projections, scan_file
from engine.io.scan_fingerprint import scan_digest
from engine.io.scanners import builtin_scanners, read_scanner
from engine.io.text.fact_labels import fact_of
from engine.io.text.json_text import to_json
from engine.io.unknown import unknown
from engine.io.volumes.frame_series import can_save_frames, frame_suffixes, read_frames, save_frames
from engine.io.volumes.slices import refuse_unplaced, slice_files, slice_names, thin_volume
from engine.io.volumes.straight_axes import facing
from engine.io.volumes.volume_saving import can_save, save, save_remark
from engine.io.xray import find as _xray
from engine.io.xray.hdf5.dxchange import write_projections
from engine.io.xray.readers import PROJECTION_READERS
from engine.io.xray.saving import save_projections

Scan = TypeVar("Scan", ListMode, Histogram)

__all__ = [
    "FILM_SUFFIXES",
    "HISTOGRAM_READERS",
    "LISTMODE_READERS",
    "PROJECTION_READERS",
    "READERS",
    "SCAN_READERS",
    "SINOGRAM_READERS",
    "VOLUME_READERS",
    "WRITERS",
    "Report",
    "builtin_scanners",
    "can_save",
    "can_save_frames",
    "config_dir",
    "existing",
    "exports_folder",
    "facing",
    "fact_of",
    "file_to_open",
    "files_written",
    "frame_suffixes",
    "inspect",
    "is_histogram",
    "is_in_patient_axes",
    "is_projections",
    "listmode_facts",
    "open_pieces",
    "read_components",
    "read_efficiencies",
    "read_frames",
    "read_histogram",
    "read_listmode",
    "read_mu_map",
    "read_projections",
    "read_scanner",
    "read_sinogram",
    "read_volume",
    "refuse_inputs",
    "refuse_unplaced",
    "save",
    "save_frames",
    "save_projections",
    "save_remark",
    "scan_digest",
    "scan_file",
    "slice_files",
    "slice_names",
    "suffixes_of",
    "thin_volume",
    "to_json",
    "usual_suffixes",
    "write_atomically",
    "write_calibration",
    "write_film",
    "write_histogram",
    "write_listmode",
    "write_projections",
    "write_tracer",
]

# plug-ins that the environment names are code; the library looks for them when h5py is first loaded
os.environ.pop("HDF5_PLUGIN_PATH", None)
os.environ["HDF5_PLUGIN_PRELOAD"] = "::"


def is_histogram(path: Path | str) -> bool:
    """Whether a file is a histogram of a dual-head scanner."""
    with _open_input(Path(path)) as file:
        return reader_of(HISTOGRAM_READERS, file) is not None


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
        name of a scanner that comes with us, or its file, where the scan does not say which
    efficiencies
        of the crystals of the scan, in all their layers; in place of those that it brings
    complete_events
        count the complete events of list mode that ends within a record, which is refused otherwise
    merge_layers
        count all layers of crystals together
    """
    with _open_input(Path(path), may_be_cut=complete_events) as file:
        reader = reader_of(HISTOGRAM_READERS, file)
        if reader is not None:
            found = _with_efficiencies(reader.read(file, scanner=scanner), efficiencies)
            return merged(found) if merge_layers else found
        events = reader_of(LISTMODE_READERS, file)
        if events is not None:
            scan = events.read(file, scanner=scanner)
            scan = _with_efficiencies(scan, efficiencies)
            return histogrammed(scan, merge_layers=merge_layers)
        known: tuple[AnyReader, ...] = (*HISTOGRAM_READERS, *LISTMODE_READERS)
        raise unknown(file, "histogram or list-mode scan", known)


def _with_efficiencies(scan: Scan, path: Path | None) -> Scan:
    return (
        scan if path is None else replace(scan, efficiencies=read_efficiencies(path, scan.scanner))
    )


def read_sinogram(path: Path | str) -> Sinogram:
    """Read a sinogram of a ring scanner: counts, or factors and expected counts of its bins."""
    with _open_input(Path(path)) as file:
        reader = reader_of(SINOGRAM_READERS, file)
        if reader is not None:
            return reader.read(file)
        raise unknown(file, "sinogram", SINOGRAM_READERS)


def read_volume(path: Path | str) -> Volume:
    """Read a volume, axis-aligned in mm LPS."""
    with _open_input(file_to_open(path)) as file:
        reader = reader_of(VOLUME_READERS, file)
        if reader is not None:
            return reader.read(file)
        raise unknown(file, "volume", VOLUME_READERS)


def is_projections(path: Path | str) -> bool:
    """Whether a file, or a folder, is an X-ray scan."""
    return _xray.find(Path(path)) is not None


def read_mu_map(path: Path | str, scanner: Scanner | None) -> Volume:
    """Read an attenuation map [1/mm at 511 keV] that lies in the bore of a scanner, or anywhere."""
    path = Path(path)
    return as_mu_map(read_volume(path), scanner, path)


def read_components(path: Path | str, scanner: Scanner) -> Components:
    """Return the components of a scanner's normalisation, of a file of ours or of efficiencies."""
    return normalisation.read_components(Path(path), scanner)


def read_efficiencies(path: Path | str, scanner: Scanner) -> NDArray[np.float32]:
    """Return the detection efficiency of each crystal of a scanner, (n_crystals,)."""
    return efficiencies.read_efficiencies(Path(path), scanner)
