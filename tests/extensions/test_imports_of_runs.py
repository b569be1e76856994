"""Runs import few modules: those that they need.

Each run has its own process. The limits are half of the counts before names were imported on first
use, 612 and 636. In November 2026 the runs import 306 and 317.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import ImageGrid, Volume, save
from engine.cli.main import main
from engine.modalities import MODALITIES
from engine.modalities.modality_list import ModalityEntry
from tests.extensions.conftest import RING

RUN = """
import sys
from engine.cli.main import main

assert main(sys.argv[1:]) == 0
print("MODULES", *sys.modules)
"""
INSPECTION = """
import sys
from engine.cli.main import main
from engine.jobs.loader import loader

loader.for_command = loader.CallsHere
assert main(["inspect", {scan!r}]) == 0
print("MODULES", *sys.modules)
"""
COMPILING = {"numba.np.linalg", "scipy.linalg"}
"""Modules that a run needs only if a kernel is not cached."""
OTHER_READERS = ("engine.io.dicom.reader", "engine.io.siemens.", "engine.io.castor.reader")
ENTRIES = [each for each in MODALITIES.members if isinstance(each, ModalityEntry)]


def modules_of_run(folder: Path, *options: str) -> set[str]:
    """Return the modules that a reconstruction of `scan.h5` imports with cached kernels."""
    command = ["reconstruct", str(folder / "scan.h5"), "-o", str(folder / "image.h5"), *options]

    def imported(*more: str) -> set[str]:
        run = [sys.executable, "-c", RUN, *command, *more]
        done = subprocess.run(run, capture_output=True, text=True, check=True)
        return set(done.stdout.split("MODULES")[1].split())

    found = imported()
    # The first run of a new clone compiles its kernels.
    return imported("--force") if found & COMPILING else found


def of_engine(modules: set[str]) -> list[str]:
    """Return the modules of the engine."""
    return [each for each in modules if each.split(".")[0] == "engine"]


@pytest.mark.essential
def test_fdk_run_imports_no_other_scan_kind(tmp_path: Path, ct_scan: list[str]) -> None:
    assert main([str(tmp_path / word) if word == "scan.h5" else word for word in ct_scan]) == 0
    found = modules_of_run(tmp_path)
    assert not [each for each in found if each.startswith(OTHER_READERS)]
    assert not [each for each in found if each.endswith("_pet.modality")]
    assert len(of_engine(found)) <= 307  # one of them only before the first kernel is cached
    assert not found & COMPILING


@pytest.mark.essential
def test_listmode_run_imports_no_other_scan_kind(tmp_path: Path, pet_scan: list[str]) -> None:
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    files = ("scan.h5", "ring.toml")
    assert main([str(tmp_path / word) if word in files else word for word in pet_scan]) == 0
    found = modules_of_run(tmp_path, "--set", "algorithm.iterations=1")
    assert not [each for each in found if each.startswith(OTHER_READERS)]
    assert "engine.modalities.xray_ct.modality" not in found
    assert "engine.modalities.listmode_pet.spatial_sort" not in found
    assert len(of_engine(found)) <= 318  # same reason
    assert not found & COMPILING


def modules_of_inspection(scan: Path) -> set[str]:
    """Return all modules that `isocenter inspect` imports, also in the process that reads."""
    code = INSPECTION.format(scan=str(scan))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split("MODULES")[1].split())


@pytest.mark.essential
def test_inspection_of_projections_imports_no_settings_or_regions(
    tmp_path: Path, ct_scan: list[str]
) -> None:
    assert main([str(tmp_path / word) if word == "scan.h5" else word for word in ct_scan]) == 0
    found = modules_of_inspection(tmp_path / "scan.h5")
    unused = ("pydantic", "filelock", "scipy", "nibabel", "numba", "importlib.metadata")
    assert not found & {*unused, "engine.analysis.regions.masks", "engine.data.runs.events"}
    assert len(of_engine(found)) <= 116


@pytest.mark.essential
def test_inspection_of_list_mode_imports_no_protocol(tmp_path: Path, pet_scan: list[str]) -> None:
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    files = ("scan.h5", "ring.toml")
    assert main([str(tmp_path / word) if word in files else word for word in pet_scan]) == 0
    found = modules_of_inspection(tmp_path / "scan.h5")
    unused = ("filelock", "scipy", "nibabel", "numba", "numpy.ma")
    assert not found & {*unused, "engine.protocols.study.protocol", "engine.data.runs.events"}
    assert len(of_engine(found)) <= 125


@pytest.mark.essential
def test_inspection_of_an_image_imports_no_solver(tmp_path: Path) -> None:
    grid = ImageGrid((2, 3, 4), (1.0, 1.0, 1.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), tmp_path / "image.nii.gz")
    found = modules_of_inspection(tmp_path / "image.nii.gz")
    assert "nibabel" in found
    assert not found & {"scipy.optimize", "numba", "filelock", "engine.protocols.study.protocol"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_modality_entry_equals_the_facts_of_its_class(entry: ModalityEntry) -> None:
    assert entry.key == entry.modality.key
    assert entry.inputs == entry.modality.inputs
