"""What a live reconstruction leaves: its slices, the scan, and the volume of the whole scan."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from engine.backend import Backend
from engine.cli.console import Console
from engine.cli.live_reconstruct import planes_files
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.errors import ResourceError
from engine.events import Finished
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane
from engine.io import save, save_projections
from engine.io.outputs import files_written, refuse_to_overwrite
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.live.images import LiveImages
from engine.modalities.xray_ct.flow import NO_PATIENT
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.plain import Plain
from engine.study.study import Study


def save_slices(images: LiveImages, path: Path, provenance: Plain) -> tuple[Path, ...]:
    """Write the slices across z, y and x, each a volume one voxel thick; returns their files."""
    files = planes_files(path)
    info = {"axes": NO_PATIENT, **provenance}
    for values, plane, file in zip(images.values, images.planes, files, strict=True):
        values, grid = _thin(values, plane)
        save(Volume(values, grid, "1/mm", info), file)
    return files


def save_scan(scan: Projections, path: Path) -> Projections:
    """Keep the scan in a file; returns it."""
    save_projections(scan, path)
    return scan


def whole_volume(
    scan: Projections,
    protocol: CtProtocol,
    arguments: argparse.Namespace,
    on: Backend,
    console: Console,
) -> None:
    """Reconstruct the scan that is in memory as an ordinary run does, and save its volume."""
    output: Path = arguments.volume
    study = Study(data=arguments.scan, protocol=protocol)
    job = Job.create(study, output=output)
    on_progress = None if arguments.json else console.show
    volume: Volume | None = None
    for event in keep(run(study, on=on, on_progress=on_progress, scan=scan), job):
        if not arguments.json:
            console.show(event)
        if isinstance(event, Finished):
            volume = event.volume
            refuse_to_overwrite(files_written(output), (arguments.scan,), force=arguments.force)
            save(volume, output, volume.info)
    if volume is None:
        raise ResourceError("the run ended without a volume; reconstruct the kept scan.")


def _thin(values: np.ndarray, plane: Plane) -> tuple[np.ndarray, ImageGrid]:
    """(n_z, n_y, n_x) of a slice whose rows and columns lie along axes, and its grid."""
    along = [int(np.argmax(np.abs(direction))) for direction in (plane.down, plane.across)]
    missing = ({0, 1, 2} - set(along)).pop()
    thin = np.ascontiguousarray(np.expand_dims(values, 2 - missing), np.float32)
    return thin, ImageGrid(thin.shape, (plane.pixel_mm,) * 3, plane.centre_mm)
