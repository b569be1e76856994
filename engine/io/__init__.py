"""Files in and out: one file per format, and the few functions everyone uses.

A new format is one class in one file and an entry in `engine.io.format_table`. A name is imported
from its module when it is first used, so that a program loads the formats of its own files only.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.core.paths import config_dir as config_dir
    from engine.io.auxiliary.calibration_file import write_calibration as write_calibration
    from engine.io.auxiliary.tracer_file import write_tracer as write_tracer
    from engine.io.formats import HISTOGRAM_READERS as HISTOGRAM_READERS
    from engine.io.formats import LISTMODE_READERS as LISTMODE_READERS
    from engine.io.formats import READERS as READERS
    from engine.io.formats import SCAN_READERS as SCAN_READERS
    from engine.io.formats import SINOGRAM_READERS as SINOGRAM_READERS
    from engine.io.formats import VOLUME_READERS as VOLUME_READERS
    from engine.io.formats import WRITERS as WRITERS
    from engine.io.formats import default_suffixes as default_suffixes
    from engine.io.formats import suffixes_of as suffixes_of
    from engine.io.hdf5.histogram import write_histogram as write_histogram
    from engine.io.hdf5.listmode import write_listmode as write_listmode
    from engine.io.inspection import inspect as inspect
    from engine.io.listmode.files import listmode_facts as listmode_facts
    from engine.io.listmode.files import open_pieces as open_pieces
    from engine.io.listmode.files import read_listmode as read_listmode
    from engine.io.raster.film import FILM_SUFFIXES as FILM_SUFFIXES
    from engine.io.raster.film import mp4_obstacle as mp4_obstacle
    from engine.io.raster.film import write_film as write_film
    from engine.io.reading import is_histogram as is_histogram
    from engine.io.reading import is_projections as is_projections
    from engine.io.reading import read_components as read_components
    from engine.io.reading import read_efficiencies as read_efficiencies
    from engine.io.reading import read_histogram as read_histogram
    from engine.io.reading import read_mu_map as read_mu_map
    from engine.io.reading import read_sinogram as read_sinogram
    from engine.io.reading import read_volume as read_volume
    from engine.io.report import Report as Report
    from engine.io.safety.atomic_write import write_atomically as write_atomically
    from engine.io.safety.budget import usable_memory as usable_memory
    from engine.io.safety.outputs import existing as existing
    from engine.io.safety.outputs import exports_folder as exports_folder
    from engine.io.safety.outputs import files_written as files_written
    from engine.io.safety.outputs import refuse_inputs as refuse_inputs
    from engine.io.scan_files import file_to_open as file_to_open
    from engine.io.scan_files import read_projections as read_projections
    from engine.io.scan_files import scan_file as scan_file
    from engine.io.scan_fingerprint import fingerprint_of as fingerprint_of
    from engine.io.scan_fingerprint import is_scan_of as is_scan_of
    from engine.io.scan_fingerprint import lacks_linked_files as lacks_linked_files
    from engine.io.scan_fingerprint import scan_digest as scan_digest
    from engine.io.scanners import builtin_scanners as builtin_scanners
    from engine.io.scanners import read_scanner as read_scanner
    from engine.io.text.fact_labels import fact_of as fact_of
    from engine.io.text.json_text import to_json as to_json
    from engine.io.volumes.frame_series import can_save_frames as can_save_frames
    from engine.io.volumes.frame_series import frame_suffixes as frame_suffixes
    from engine.io.volumes.frame_series import read_frames as read_frames
    from engine.io.volumes.frame_series import save_frames as save_frames
    from engine.io.volumes.slices import refuse_unplaced as refuse_unplaced
    from engine.io.volumes.slices import slice_files as slice_files
    from engine.io.volumes.slices import slice_names as slice_names
    from engine.io.volumes.slices import thin_volume as thin_volume
    from engine.io.volumes.straight_axes import facing as facing
    from engine.io.volumes.straight_axes import is_in_patient_axes as is_in_patient_axes
    from engine.io.volumes.volume_saving import can_save as can_save
    from engine.io.volumes.volume_saving import save as save
    from engine.io.volumes.volume_saving import save_note as save_note
    from engine.io.xray.hdf5.dxchange import write_projections as write_projections
    from engine.io.xray.readers import PROJECTION_READERS as PROJECTION_READERS
    from engine.io.xray.saving import save_projections as save_projections

# HDF5 filter plug-ins are native code. Without these lines, HDF5 loads them from the folder in this
# environment variable when h5py is imported. "::" disables all of them (HDF5, "H5PL").
os.environ.pop("HDF5_PLUGIN_PATH", None)
os.environ["HDF5_PLUGIN_PRELOAD"] = "::"

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.core.paths": ("config_dir",),
            "engine.io.auxiliary.calibration_file": ("write_calibration",),
            "engine.io.auxiliary.tracer_file": ("write_tracer",),
            "formats": (
                "HISTOGRAM_READERS",
                "LISTMODE_READERS",
                "READERS",
                "SCAN_READERS",
                "SINOGRAM_READERS",
                "VOLUME_READERS",
                "WRITERS",
                "suffixes_of",
                "default_suffixes",
            ),
            "engine.io.hdf5.histogram": ("write_histogram",),
            "engine.io.hdf5.listmode": ("write_listmode",),
            "inspection": ("inspect",),
            "engine.io.listmode.files": (
                "listmode_facts",
                "open_pieces",
                "read_listmode",
            ),
            "engine.io.raster.film": (
                "FILM_SUFFIXES",
                "mp4_obstacle",
                "write_film",
            ),
            "reading": (
                "is_histogram",
                "is_projections",
                "read_components",
                "read_efficiencies",
                "read_histogram",
                "read_mu_map",
                "read_sinogram",
                "read_volume",
            ),
            "report": ("Report",),
            "engine.io.safety.atomic_write": ("write_atomically",),
            "engine.io.safety.budget": ("usable_memory",),
            "engine.io.safety.outputs": (
                "existing",
                "exports_folder",
                "files_written",
                "refuse_inputs",
            ),
            "scan_files": (
                "file_to_open",
                "read_projections",
                "scan_file",
            ),
            "scan_fingerprint": (
                "fingerprint_of",
                "is_scan_of",
                "lacks_linked_files",
                "scan_digest",
            ),
            "scanners": (
                "builtin_scanners",
                "read_scanner",
            ),
            "engine.io.text.fact_labels": ("fact_of",),
            "engine.io.text.json_text": ("to_json",),
            "engine.io.volumes.frame_series": (
                "can_save_frames",
                "frame_suffixes",
                "read_frames",
                "save_frames",
            ),
            "engine.io.volumes.slices": (
                "refuse_unplaced",
                "slice_files",
                "slice_names",
                "thin_volume",
            ),
            "engine.io.volumes.straight_axes": ("facing", "is_in_patient_axes"),
            "engine.io.volumes.volume_saving": (
                "can_save",
                "save",
                "save_note",
            ),
            "engine.io.xray.hdf5.dxchange": ("write_projections",),
            "engine.io.xray.readers": ("PROJECTION_READERS",),
            "engine.io.xray.saving": ("save_projections",),
        },
    )
