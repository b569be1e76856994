"""Gridding, compared with an independent filtered back projection in float64.

The reference filters closed-form line integrals of ellipses with NumPy, interpolates them by
zero padding, and adds them at voxel centres.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.core.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.kernels.gridding import LANES
from engine.modalities.xray_ct.slab_fdk import SlabFdk
from engine.modalities.xray_ct.slab_sizes import SlabSizes
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.gridding import describe_method, is_gridded, obstacle
from engine.recon.filtering.projections import planned
from engine.recon.filtering.settings import MIN_VIEWS, FilterSettings

ON = cpu(2)
GRIDDING = FilterSettings(method="gridding")
ELLIPSES = (
    (0.0, 0.0, 0.8, 0.6, 0.3, 1.0),
    (0.2, 0.1, 0.2, 0.3, 0.5, 0.5),
    (-0.3, -0.1, 0.1, 0.15, 0.0, -0.7),
    (-0.1, -0.35, 0.3, 0.04, 0.2, 0.6),
)
"""Centre x, y and half axes relative to the field of view, rotation [rad], density [1/mm]."""
FINER = 64
"""Points per pixel of the reference's interpolation; it is linear between the points."""
Values = NDArray[np.float64]


def line_integrals(angles: Values, s_mm: Values, radius_mm: float) -> Values:
    """Return integrals along lines with normals (−sin β, cos β) at distances s."""
    across = angles[:, None] + np.pi / 2
    total = np.zeros((len(angles), len(s_mm)))
    for x, y, a, b, phi, density in ELLIPSES:
        a, b, x, y = a * radius_mm, b * radius_mm, x * radius_mm, y * radius_mm
        square = (a * np.cos(across - phi)) ** 2 + (b * np.sin(across - phi)) ** 2
        distance = s_mm - (x * np.cos(across) + y * np.sin(across))
        half = np.sqrt(np.maximum(square - distance**2, 0))
        total += density * 2 * a * b * half / square
    return total


def reference_image(
    integrals: Values, angles: Values, at_mm: tuple[Values, Values], pixel_mm: float,
    axis_column: float, *, hann: bool = False,
) -> Values:  # fmt: skip
    """Return the filtered back projection over a half or full turn, at points (x, y)."""
    n = integrals.shape[1]
    distance = np.minimum(np.arange(2 * n), 2 * n - np.arange(2 * n))
    ramp = np.where(distance % 2 == 1, -1 / (np.pi * np.maximum(distance, 1)) ** 2, 0.0)
    ramp[0] = 0.25
    factors = np.fft.rfft(ramp).real
    if hann:
        factors *= 0.5 + 0.5 * np.cos(np.pi * np.arange(n + 1) / n)
    total = np.zeros(at_mm[0].shape)
    for row, angle in zip(integrals, angles, strict=True):
        spectrum = np.fft.rfft(row, 2 * n) * factors
        spectrum[-1] /= 2  # two frequencies of the finer row share this one
        finer = FINER * np.fft.irfft(spectrum, 2 * n * FINER)
        s_mm = at_mm[1] * np.cos(angle) - at_mm[0] * np.sin(angle)
        place = s_mm / pixel_mm + axis_column
        total += np.interp(FINER * place, np.arange(len(finer)), finer)
    return np.pi / len(angles) / pixel_mm * total


def inside(grid: ImageGrid, radius_mm: float) -> tuple[NDArray[np.bool_], Values, Values]:
    """Return the voxels of the largest ellipse, and their centres [mm]."""
    x, y = grid.centres_mm(0)[None, :], grid.centres_mm(1)[:, None]
    _, _, a, b, phi, _ = ELLIPSES[0]
    along = (x * np.cos(phi) + y * np.sin(phi)) / (a * radius_mm)
    across = (y * np.cos(phi) - x * np.sin(phi)) / (b * radius_mm)
    mask = along**2 + across**2 < 0.96
    x, y = np.broadcast_arrays(x, y)
    return mask, x[mask], y[mask]


@pytest.mark.parametrize(
    ("case", "n_views", "turn", "n_columns", "axis", "shape", "voxel_mm", "centre_mm", "hann"),
    [
        ("half a turn", 180, np.pi, 128, 63.5, (128, 128), 1.0, (0.0, 0.0), False),
        ("a whole turn", 240, 2 * np.pi, 128, 63.5, (128, 128), 1.0, (0.0, 0.0), False),
        ("an axis off the middle", 180, np.pi, 141, 66.3, (128, 128), 1.0, (0.0, 0.0), False),
        ("small voxels", 180, np.pi, 128, 63.5, (150, 201), 0.6, (3.0, -7.0), False),
        ("large voxels", 180, np.pi, 128, 63.5, (61, 58), 2.1, (0.5, 0.3), False),
        ("a Hann window", 180, np.pi, 128, 63.5, (128, 128), 1.0, (0.0, 0.0), True),
    ],
)  # fmt: skip
def test_gridding_equals_the_reference(
    case: str, n_views: int, turn: float, n_columns: int, axis: float, shape: tuple[int, int],
    voxel_mm: float, centre_mm: tuple[float, float], hann: bool,
) -> None:  # fmt: skip
    angles = circle(n_views, range_rad=turn)
    geometry = parallel(angles, shape=(1, n_columns), pixel_mm=1.0, axis_column=axis)
    grid = ImageGrid((1, *shape), (voxel_mm, voxel_mm, 1.0), (*centre_mm, 0.0))
    measured = line_integrals(angles, np.arange(n_columns) - axis, 62.0)
    settings = FilterSettings(method="gridding", window="hann" if hann else "ram-lak")

    image = fdk(measured[:, None].astype(np.float32), geometry, grid, settings=settings, on=ON)

    mask, x, y = inside(grid, 62.0)
    truth, found = reference_image(measured, angles, (x, y), 1.0, axis, hann=hann), image[0][mask]
    # 4 taps have an error of 5e-5
    assert np.sqrt(np.mean((found - truth) ** 2)) < 2e-4 * truth.max(), case
    assert found.mean() == pytest.approx(truth.mean(), rel=2e-4)


def test_slice_between_two_rows_is_their_mean(rng: np.random.Generator) -> None:
    geometry = parallel(circle(20, range_rad=np.pi), shape=(2, 24), pixel_mm=1.0)
    values = rng.random((20, 2, 24), np.float32)
    on_rows = ImageGrid((2, 16, 16), (1.0, 1.0, 1.0))
    between = ImageGrid((1, 16, 16), (1.0, 1.0, 1.0))
    settings = FilterSettings(method="gridding", truncation="off")

    first, second = fdk(values, geometry, on_rows, settings=settings, on=ON)
    middle = fdk(values, geometry, between, settings=settings, on=ON)[0]

    # float32: sums of 20 views are rounded a few times.
    np.testing.assert_allclose(middle, (first + second) / 2, atol=1e-5 * np.abs(middle).max())


def test_slices_beyond_the_detector_are_empty(rng: np.random.Generator) -> None:
    geometry = parallel(circle(20, range_rad=np.pi), shape=(2, 24), pixel_mm=1.0)
    grid = ImageGrid((8, 16, 16), (1.0, 1.0, 1.0))
    values = rng.random((20, 2, 24), np.float32)

    image = fdk(values, geometry, grid, settings=GRIDDING, on=ON)

    seen = [bool(each.any()) for each in image]
    assert seen == [False, False, False, True, True, False, False, False]


@pytest.mark.parametrize("soften_rows", [False, True])
def test_slabs_boxes_and_threads_give_the_bits_of_the_whole(
    rng: np.random.Generator, soften_rows: bool
) -> None:
    geometry = parallel(circle(70, range_rad=np.pi), shape=(24, 33), pixel_mm=1.5)
    grid = ImageGrid((2 * LANES + 7, 18, 21), (2.0, 2.0, 1.4), (1.0, -2.0, 3.0))
    settings = FilterSettings(method="gridding", soften_rows=soften_rows)
    values = rng.random((70, 24, 33), np.float32)
    whole = fdk(values, geometry, grid, settings=settings, on=ON)

    plan = planned(values, geometry, settings)
    work = SlabFdk(values, plan, grid, settings, SlabSizes(slices=5, views=7), on=ON)
    np.testing.assert_array_equal(np.concatenate([work.slab(s) for s in work.slabs()]), whole)
    single_thread = fdk(values, geometry, grid, settings=settings, on=cpu(1))
    np.testing.assert_array_equal(single_thread, whole)
    # One slice and two slices have their own grids; three slices share one.
    for z in (slice(3, 6), slice(4, 5), slice(9, 11)):
        region = (z, slice(2, 11), slice(7, 20))
        part = fdk(values, geometry, grid, settings=settings, region=region, on=ON)
        np.testing.assert_array_equal(part, whole[region])


def test_automatic_method_depends_on_the_number_of_views() -> None:
    grid, auto = ImageGrid((1, 16, 16), (1.0, 1.0, 1.0)), FilterSettings(method="auto")
    for n_views in (MIN_VIEWS - 1, MIN_VIEWS):
        geometry = parallel(circle(n_views, range_rad=np.pi), shape=(1, 24), pixel_mm=1.0)
        assert is_gridded(auto, geometry, grid, ON) is (n_views == MIN_VIEWS)
        assert not is_gridded(FilterSettings(), geometry, grid, ON)
        assert is_gridded(GRIDDING, geometry, grid, ON)
        assert describe_method(FilterSettings(), geometry, grid, ON) == ""
    assert "gridding" in describe_method(auto, geometry, grid, ON)


def test_other_scans_use_back_projection_and_state_the_reason(on_gpu: Backend) -> None:
    grid = ImageGrid((4, 16, 16), (1.0, 1.0, 1.0))
    angles = circle(360, range_rad=np.pi)
    rays = parallel(angles, shape=(4, 24), pixel_mm=1.0)
    cone = circular_cone(
        circle(360), source_axis_mm=90.0, source_detector_mm=140.0, shape=(4, 24), pixel_mm=1.5
    )
    rolled = parallel(angles, shape=(4, 24), pixel_mm=1.0, roll_rad=0.02)
    for geometry, on, reason in (
        (cone, ON, "parallel rays"), (rolled, ON, "perpendicular"), (rays, on_gpu, "CPU only"),
    ):  # fmt: skip
        assert reason in obstacle(geometry, grid, on)
        assert not is_gridded(GRIDDING, geometry, grid, on)
        assert reason in describe_method(GRIDDING, geometry, grid, on)
