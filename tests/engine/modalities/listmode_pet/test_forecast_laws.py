"""The list-mode forecast counts each part of the work once."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend.devices import cpu_device
from engine.data.listmode import ListMode
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import uniform_spread
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import estimate
from engine.modalities.listmode_pet.sensitivity_needs import lines_traced, slabs_of
from engine.modalities.requirements import BASE_BYTES, Requirements
from engine.modalities.resolution_needs import (
    BYTES_PER_ELEMENT,
    pixel_elements,
    plane_elements,
)
from engine.operators.point_spread import axial_matrix, plane_matrix

GRID = ImageGrid((40, 60, 60), (1.0, 1.0, 1.0))
MANY = 10**8
"""Number of lines of a scanner that is too large to trace all its lines."""


def map_of(n: int = 60, radius_mm: float = 30.0) -> CrystalMap:
    """Return a crystal map with the crystals of a ring."""
    angles = 2 * np.pi * np.arange(n) / n
    positions = radius_mm * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    keys = np.stack([0 * np.arange(n), np.arange(n)], axis=1)
    return CrystalMap("Map", keys, positions, fov_radius_mm=25, voxel_mm=(1, 1, 1), fov_mm=(50, 9))


def scan_of(scanner: CrystalMap) -> ListMode:
    return ListMode(scanner, np.array([[0, 30], [5, 40]], np.int32))


def forecast(*, fwhm_mm: float | None = None, grid: ImageGrid = GRID, **options) -> Requirements:
    use = {"use": "off"} if fwhm_mm is None else {"use": "on", "fwhm_mm": fwhm_mm}
    protocol = ListModeProtocol.model_validate({"corrections": {"resolution": use}})
    return estimate(protocol, grid, 30_000, on=cpu_device(options.pop("threads", 2)), **options)


def test_time_and_memory_grow_with_the_width_of_the_blur():
    found = [forecast(fwhm_mm=width) for width in (None, 2.0, 4.0, 8.0)]
    seconds = [each.stages["reconstruct"] for each in found]
    memory = [each.memory_bytes for each in found]
    assert seconds == sorted(set(seconds)) and memory == sorted(set(memory))


def test_time_of_the_blur_does_not_depend_on_the_number_of_threads():
    blur_s = [
        forecast(fwhm_mm=4.0, threads=n).stages["reconstruct"]
        - forecast(threads=n).stages["reconstruct"]
        for n in (1, 4)
    ]
    assert blur_s[0] == pytest.approx(blur_s[1])


@pytest.mark.parametrize("fwhm_mm", [1.5, 4.0, 7.0])
def test_matrix_elements_are_counted_without_the_matrices(fwhm_mm):
    spread = uniform_spread(fwhm_mm)
    of_planes = axial_matrix(spread, GRID).nnz / GRID.shape[0]
    of_pixels = plane_matrix(spread, GRID).nnz / (GRID.shape[1] * GRID.shape[2])
    # The matrices omit the part beyond the image edge.
    assert plane_elements(spread, GRID) == pytest.approx(of_planes, rel=0.25)
    assert pixel_elements(spread, GRID) == pytest.approx(of_pixels, rel=0.25)
    elements = forecast(fwhm_mm=fwhm_mm).memory_bytes - forecast().memory_bytes
    assert elements >= BYTES_PER_ELEMENT * of_pixels


def test_eight_batches_are_traced_but_not_more_lines_than_the_scanner_has():
    protocol = ListModeProtocol()
    assert lines_traced(protocol, GRID, 30_000, MANY) == (8 * 500_000, 500_000)
    assert lines_traced(protocol, GRID, 2_000_000, MANY) == (16 * 500_000, 500_000)
    large = ImageGrid((200, 300, 300), (1.0, 1.0, 1.0))
    assert lines_traced(protocol, large, 30_000, MANY) == (2 * large.n_voxels, large.n_voxels // 4)
    assert lines_traced(protocol, large, 30_000, 1_000_000)[0] == 1_000_000


def test_traced_lines_end_at_the_crystals():
    wide = ImageGrid((40, 300, 300), (1.0, 1.0, 1.0))
    scanner = map_of(radius_mm=30.0)
    assert slabs_of(wide, None) == pytest.approx(0.7 * 300)
    assert slabs_of(wide, scanner) == pytest.approx(0.7 * 60)
    long = ImageGrid((900, 60, 60), (1.0, 1.0, 1.0))
    assert slabs_of(long, scanner) == slabs_of(GRID, scanner)


def test_sensitivity_of_a_crystal_map_costs_its_lines():
    scan = scan_of(map_of())
    few, many = (
        forecast(scan=scan, n_lors=n).stages["sensitivity"] for n in (1_000_000, 4_000_000)
    )
    assert many / few == pytest.approx(4.0, rel=0.01)


def test_minimal_run_needs_the_memory_of_the_program():
    tiny = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
    assert 0 <= forecast(grid=tiny).memory_bytes - BASE_BYTES < 100 * 2**20
    assert forecast(grid=tiny).seconds >= 1.5
