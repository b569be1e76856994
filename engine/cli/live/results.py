"""Save the outputs of a live reconstruction: slices, recorded scan and volume."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli.console import Console
from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.data.runs.events import Finished
from engine.data.volume import Volume
from engine.io import save, save_projections
from engine.io.safety.outputs import files_written, refuse_to_overwrite
from engine.io.volumes.slices import slice_files, thin_volume
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.live.ct.images import LiveImages
from engine.modalities.studies import Study
from engine.modalities.xray_ct.flow import NO_PATIENT
from engine.modalities.xray_ct.protocol import CtProtocol


def save_slices(images: LiveImages, path: Path, provenance: Plain) -> tuple[Path, ...]:
    """Save the slices normal to z, y and x as volumes that are one voxel thick.

    Parameters
    ----------
    images
        slices of the session
    path
        output path, from which the three names are derived
    provenance
        inputs, settings and versions

    Returns
    -------
    files
        three files, in the order axial, coronal, sagittal
    """
    files = slice_files(path)
    # A source sends no patient position, so the axes are those of the scanner
    info = {"axes": NO_PATIENT, **provenance}
    for values, plane, file in zip(images.values, images.planes, files, strict=True):
        save(thin_volume(values, plane, "1/mm", info), file)
    return files


def save_scan(scan: Projections, path: Path) -> Projections:
    """Save the recorded scan and return it.

    Parameters
    ----------
    scan
        recorded projections with their geometry
    path
        output file, .h5 or .nxs
    """
    save_projections(scan, path)
    return scan


def whole_volume(
    scan: Projections,
    protocol: CtProtocol,
    arguments: argparse.Namespace,
    on: Backend,
    console: Console,
) -> None:
    """Reconstruct the recorded scan like a normal run, and save the volume.

    Parameters
    ----------
    scan
        recorded projections, still in memory
    protocol
        protocol of the live slices
    arguments
        options with the output paths
    on
        device
    console
        receives the events of the run

    Raises
    ------
    ResourceError
        if the run ends without a volume
    """
    output: Path = arguments.volume
    study = Study(data=arguments.scan, protocol=protocol)
    # A job, so that the volume can be resumed like any other run
    job = Job.create(study, output=output)
    on_progress = None if arguments.json else console.show
    volume: Volume | None = None
    # The scan is still in memory, so the run does not read its file again
    for event in keep(run(study, on=on, on_progress=on_progress, scan=scan), job):
        if not arguments.json:
            console.show(event)
        if isinstance(event, Finished):
            volume = event.volume
            # Checked again: files may have appeared during the scan
            refuse_to_overwrite(files_written(output), (arguments.scan,), force=arguments.force)
            save(volume, output, volume.info)
    if volume is None:
        raise ResourceError("The run ended without a volume. Reconstruct the saved scan.")
