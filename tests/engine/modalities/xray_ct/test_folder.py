"""A folder opens like the scan file in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import FileFormatError
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.geometry.orbits import circle, circular_cone
from engine.io import save_projections, scan_file
from engine.jobs.checkpoint.job import Job
from engine.jobs.reconstruction import reconstruct
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.run_context.provenance import hash_array


@pytest.fixture
def folder(tmp_path: Path, rng: np.random.Generator) -> Path:
    """Write raw projections with their sidecar."""
    orbit = circular_cone(
        circle(24), source_axis_mm=300.0, source_detector_mm=450.0, shape=(6, 24), pixel_mm=2.0
    )
    values = rng.random((24, 6, 24), np.float32)
    save_projections(Projections(values, orbit, "integrals"), tmp_path / "scan.toml")
    return tmp_path


def _image(data: Path) -> Volume:
    return reconstruct(Study(data=data, protocol=CtProtocol()), on=cpu(2))


def test_folder_gives_the_bits_of_its_file(folder: Path) -> None:
    one, other = _image(folder / "scan.toml"), _image(folder)
    assert hash_array(one.values) == hash_array(other.values)
    assert one.info["inputs"] == other.info["inputs"]
    assert len(one.info["inputs"]) == 3  # the sidecar and the files that it names


def test_job_of_a_folder_is_that_of_its_file(folder: Path, tmp_path: Path) -> None:
    study = Study(data=folder, protocol=CtProtocol())
    job = Job.create(study, folder=tmp_path / "job")
    assert job.study.data == folder / "scan.toml"


def test_folder_of_two_scans_is_refused(folder: Path) -> None:
    (folder / "again.toml").write_bytes((folder / "scan.toml").read_bytes())
    with pytest.raises(FileFormatError, match="found the settings of 2 scans"):
        scan_file(folder)
    assert scan_file(folder / "scan.toml") == folder / "scan.toml"
