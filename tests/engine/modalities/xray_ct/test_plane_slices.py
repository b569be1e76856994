"""Oblique slices have the values of the volume of a run, and closed forms outside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import psutil
import pytest

from engine.core.backend import cpu
from engine.core.errors import GeometryError, ResourceError
from engine.corrections.preprocess import CentreOfRotation, Hounsfield
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import helical
from engine.geometry.plane import first_planes
from engine.modalities.xray_ct.plane_slices import PlaneSlices
from tests.engine.modalities.xray_ct.test_preview import of_a_run, plan, scan_of

ON = cpu(2)
FIXED = CentreOfRotation(use="off")


def test_slices_on_voxels_have_the_values_of_the_volume(tmp_path):
    scan = scan_of("cone")
    protocol = plan(centre=FIXED).model_copy(update={"hounsfield": Hounsfield()})
    volume = of_a_run(scan, protocol, tmp_path)
    slices = PlaneSlices(scan, protocol, on=ON)
    assert (slices.grid, slices.unit) == (volume.grid, volume.unit)
    planes = slices.first_planes()
    n_z, n_y, n_x = volume.grid.shape
    expected = (
        volume.values[n_z // 2],
        volume.values[:, n_y // 2],
        volume.values[:, :, n_x // 2],
    )
    for found, plane, truth in zip(slices.values(planes), planes, expected, strict=True):
        more = [(a - b) // 2 for a, b in zip(plane.shape, truth.shape, strict=True)]
        inside = found[more[0] : more[0] + truth.shape[0], more[1] : more[1] + truth.shape[1]]
        np.testing.assert_allclose(inside, truth, rtol=0, atol=2e-6 * np.abs(truth).max())


def test_oblique_slice_cuts_a_ball_in_its_circle():
    slices = PlaneSlices(scan_of("parallel"), plan(centre=FIXED), on=ON)
    axial = replace(first_planes(slices.grid)[0], centre_mm=(0.0, 0.0, 0.0))
    turned = axial.turned((0.2, 1.0, 0.0), np.radians(35)).through((4.0, 0.0, 3.0))
    (values,) = slices.values([turned])

    middle, normal = np.array((4.0, 0.0, 0.0)), turned.turn[:, 2]
    height = normal @ (middle - turned.centre_mm)  # height of the ball's centre above the slice
    radius = np.sqrt(7.0**2 - height**2)
    rows, columns = np.indices(values.shape)
    at = turned.to_mm @ np.stack(
        [columns.ravel() + 0.5, rows.ravel() + 0.5, np.full(values.size, 0.5), np.ones(values.size)]
    )
    away = np.linalg.norm(at[:3].T - (middle - height * normal), axis=1).reshape(values.shape)
    inside, outside = away < radius - 1.5, (away > radius + 1.5) & (away < radius + 4)
    assert inside.sum() > 60
    assert values[inside].mean() == pytest.approx(0.02, rel=0.03)
    assert abs(values[outside & (at[0].reshape(values.shape) > 0)].mean()) < 0.001


def middle_of(values: np.ndarray) -> np.ndarray:
    """Return the centre of attenuation in pixels."""
    dense = values > 0.01
    return np.argwhere(dense).mean(axis=0)


def test_coarse_slices_are_block_means_of_fine_ones(monkeypatch):
    slices = PlaneSlices(scan_of("parallel"), plan(centre=FIXED), on=ON)
    planes = [plane.turned((1.0, 1.0, 0.0), 0.4) for plane in slices.first_planes()]
    fine = slices.values(planes)
    moved = [plane.through((5.0, 1.0, 1.0)) for plane in planes[:2]] + planes[2:]
    monkeypatch.setattr("engine.modalities.xray_ct.plane_slices.QUICK_UPDATES", 1e5)
    rough, is_fine = slices.rough_values(moved)
    expected = slices.values(moved)
    assert not is_fine and rough[2] is fine[2]
    for one, other in zip(rough[:2], expected, strict=False):
        assert one.shape == other.shape
        assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.8
        np.testing.assert_allclose(middle_of(one), middle_of(other), atol=0.75)
    again, is_fine = slices.rough_values(moved)
    assert is_fine and all(a is b for a, b in zip(again, expected, strict=True))


def test_ct_number_levels_are_left_to_the_run():
    protocol = plan(centre=FIXED).model_copy(update={"hounsfield": Hounsfield(levels="found")})
    slices = PlaneSlices(scan_of("parallel"), protocol, on=ON)
    assert slices.unit == "1/mm" and "run computes" in slices.messages[-1]


def test_first_planes_are_on_voxels_and_cover_the_volume():
    grid = ImageGrid((5, 8, 11), (2.0, 2.0, 2.0), (3.0, -4.0, 5.0))
    for plane, axis in zip(first_planes(grid), (2, 1, 0), strict=True):
        n_rows, n_columns = plane.shape
        assert min(plane.shape) * plane.pixel_mm >= max(grid.size_mm) - 2 * plane.pixel_mm
        at = plane.to_mm @ (n_columns // 2 + 0.5, n_rows // 2 + 0.5, 0.5, 1)
        voxel = (at[:3] - grid.lower_mm) / 2.0 - 0.5
        np.testing.assert_allclose(voxel, np.rint(voxel), atol=1e-9)
        assert plane.centre_mm[axis] in grid.centres_mm(axis)


def test_helical_scan_and_lack_of_memory_are_refused(monkeypatch):
    scan = scan_of("cone")
    climbing = helical(
        np.linspace(0, 4 * np.pi, 90),
        source_axis_mm=150,
        source_detector_mm=225,
        shape=scan.geometry.shape,
        pixel_mm=1.5,
        pitch_mm=10,
    )
    with pytest.raises(GeometryError, match="reconstruct the volume"):
        PlaneSlices(replace(scan, geometry=climbing), plan(centre=FIXED), on=ON)
    full = psutil.virtual_memory()._replace(available=1 << 20)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: full)
    with pytest.raises(ResourceError, match=r"0\.0 GiB are free; bin the projections"):
        PlaneSlices(scan, plan(centre=FIXED), on=ON)


def test_superseded_computation_ends():
    class SupersededError(Exception):
        pass

    def check() -> None:
        raise SupersededError

    with pytest.raises(SupersededError):
        PlaneSlices(scan_of("parallel"), plan(centre=FIXED), on=ON, check=check)
