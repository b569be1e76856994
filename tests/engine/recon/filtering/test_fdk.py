"""Filtered back projection, compared with objects in closed form."""

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, fan, parallel
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.transform import XrayTransform
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.fdk import Fdk
from engine.recon.filtering.fdk import FilteredBackProjection, fdk
from engine.recon.filtering.projections import planned
from engine.recon.filtering.settings import FilterSettings
from engine.recon.model import LinearModel
from tests.engine.recon.filtering.ellipsoids import ball, integrals, shepp_logan, values

SLICE = ImageGrid((1, 64, 64), (2.0, 2.0, 2.0))
CONE = {
    "source_axis_mm": 500.0,
    "source_detector_mm": 750.0,
    "shape": (9, 128),
    "pixel_mm": 1.5,
}
"""The half fan angle is 7.3°; pixels are 1 mm at the axis."""
PARALLEL = {"shape": (9, 128), "pixel_mm": 1.0}
R_MM = 40.0


def degrees(first, stop, step=2.0):
    return np.radians(np.arange(first, stop, step))


def radius(grid):
    x, y = grid.centres_mm(0) - grid.centre_mm[0], grid.centres_mm(1) - grid.centre_mm[1]
    return np.hypot(x[None, :], y[:, None])


def inside(image, grid, up_to_mm=0.75 * R_MM):
    return image[0][radius(grid) < up_to_mm]


def ball_through(geometry, grid=SLICE, **settings):
    centre = grid.centre_mm
    return fdk(
        integrals(geometry, [ball(R_MM, centre)]), geometry, grid,
        settings=FilterSettings(**settings), on=cpu(2),
    )  # fmt: skip


UNEVEN = np.radians(np.arange(360) + 0.9 * np.sin(np.arange(360.0)))


@pytest.mark.parametrize(
    "geometry",
    [
        circular_cone(degrees(0, 360), **CONE),
        circular_cone(degrees(0, 361), **CONE),
        circular_cone(degrees(0, -360, -2), **CONE),
        circular_cone(degrees(30, 750, 3.5), **CONE),
        circular_cone(UNEVEN, **CONE),
        circular_cone(degrees(0, 360), detector_shift_mm=(6.0, 2.0), **CONE),
        circular_cone(degrees(0, 360), source_shift_mm=(15.0, 0.0), **CONE),
        circular_cone(degrees(0, 360), tilt_rad=(0.0, 0.2), **CONE),
        circular_cone(degrees(0, 360), tilt_rad=(0.1, -0.1), roll_rad=0.03, **CONE),
        circular_cone(degrees(0, 360), **CONE).flipped(columns=True, rows=True),
        circular_cone(degrees(0, 360), **CONE).tilted(about_v_rad=0.25 * (np.arange(180) < 90)),
        circular_cone(degrees(0, 220), **CONE).shifted(columns=8 * np.sin(np.arange(110))),
        circular_cone(degrees(20, 220), **CONE),
        circular_cone(degrees(20, 300), **CONE),
        circular_cone(degrees(220, 20, -2), **CONE).flipped(columns=True),
        circular_cone(degrees(0, 360), axis_column=30.0, **CONE),
        circular_cone(degrees(0, -360, -2), axis_column=101.0, **CONE),
        circular_cone(degrees(0, 360), axis_column=30.0, **CONE).flipped(columns=True),
        fan(degrees(0, 360), source_axis_mm=200, source_detector_mm=350, n_columns=240, pixel_mm=1),
        fan(degrees(0, 218), source_axis_mm=200, source_detector_mm=350, n_columns=240, pixel_mm=1),
        parallel(degrees(0, 180, 1), **PARALLEL),
        parallel(degrees(0, 181, 1), **PARALLEL),
        parallel(degrees(0, 270, 1), axis_column=60.0, **PARALLEL),
        parallel(degrees(0, 360), **PARALLEL),
        parallel(degrees(0, 360), axis_column=30.0, **PARALLEL),
    ],
)  # fmt: skip
def test_ball_has_its_density(geometry):
    image = ball_through(geometry)
    values = inside(image, SLICE)
    assert values.mean() == pytest.approx(1, abs=2e-3)  # 27 to 47 pixels per radius
    assert values.std() < 2e-3
    far = image[0][(radius(SLICE) > 1.2 * R_MM) & (radius(SLICE) < 60)]
    assert abs(far.mean()) < 0.02


@pytest.mark.parametrize(
    "wrong",
    [
        lambda g: XrayGeometry(
            g.beam, g.source_mm[::-1], g.detector_mm[::-1], g.u_mm[::-1], g.v_mm[::-1], g.shape
        ),
        lambda g: g.flipped(columns=True),
    ],
)
def test_wrong_direction_of_rotation_gives_a_wrong_image(wrong):
    right = circular_cone(degrees(0, 210, 1), **CONE)
    objects = [ball(R_MM), ball(8.0, (20.0, 10.0, 0.0), 1.0)]
    data, truth = integrals(right, objects), values(SLICE, objects)
    x, y = np.meshgrid(SLICE.centres_mm(0), SLICE.centres_mm(1))
    away = (np.abs(np.hypot(x, y) - R_MM) > 5) & (np.abs(np.hypot(x - 20, y - 10) - 8) > 5)
    errors = [
        np.abs(fdk(data, geometry, SLICE) - truth)[0, away & (radius(SLICE) < 55)].mean()
        for geometry in (right, wrong(right))
    ]
    assert errors[0] < 0.008
    assert errors[1] > 3 * errors[0]


def test_tall_cylinder_has_its_density_far_from_the_middle():
    geometry = circular_cone(
        degrees(0, 360), source_axis_mm=100, source_detector_mm=200, shape=(120, 128), pixel_mm=2.0
    )
    cylinder = (1.0, np.array([30.0, 30.0, 1e6]), np.zeros(3), 0.0)
    grid = ImageGrid((1, 32, 32), (1.0, 1.0, 1.0), (0.0, 0.0, 35.0))
    image = fdk(integrals(geometry, [cylinder]), geometry, grid)
    assert image.mean() == pytest.approx(1, abs=2e-3)
    assert image.std() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("axis_column", [35.0, 92.0])
def test_half_fan_agrees_with_the_full_detector(axis_column):
    objects = shepp_logan(55.0)
    wide = {**CONE, "shape": (9, 200)}
    whole = circular_cone(degrees(0, 360), **wide)
    half = circular_cone(degrees(0, 360), axis_column=axis_column, **CONE)
    one, other = (fdk(integrals(g, objects), g, SLICE)[0] for g in (whole, half))
    brain = radius(SLICE) < 30
    assert np.abs(one - other)[brain].max() < 0.01 * one[brain].mean()
    wrongly = fdk(integrals(half, objects), half, SLICE, settings=FilterSettings(half_fan="off"))
    assert np.abs(one - wrongly[0])[brain].max() > 0.05 * one[brain].mean()


@pytest.mark.slow
def test_off_axis_head_is_right_on_any_grid():
    shift = np.array([12.0, -8.0, 3.0])
    objects = [(d, half, centre + shift, turn) for d, half, centre, turn in shepp_logan(45.0)]
    geometry = circular_cone(degrees(0, 360, 1), **{**CONE, "shape": (60, 128)})
    data = integrals(geometry, objects)
    grid = ImageGrid((3, 40, 50), (2.0, 1.5, 3.0), (10.0, -5.0, 1.0))
    image, truth = fdk(data, geometry, grid), values(grid, objects)
    x, y = np.meshgrid(grid.centres_mm(0), grid.centres_mm(1))
    flat = (truth == np.median(truth)) & (np.hypot(x - 12, y + 8) < 25)
    assert image[flat].mean() == pytest.approx(np.median(truth), abs=5e-3)
    assert np.corrcoef(image.ravel(), truth.ravel())[0, 1] > 0.97


def test_values_are_per_mm_at_any_scale():
    small = circular_cone(degrees(0, 360), **CONE)
    large = circular_cone(
        degrees(0, 360), source_axis_mm=5000, source_detector_mm=7500, shape=(9, 128), pixel_mm=15
    )  # fmt: skip
    grid = ImageGrid((1, 64, 64), (20.0, 20.0, 20.0))
    one = fdk(integrals(small, [ball(R_MM)]), small, SLICE)
    other = fdk(integrals(large, [ball(10 * R_MM, density=0.1)]), large, grid)
    np.testing.assert_allclose(10 * other, one, atol=2e-4)  # float32 sums of 180 views


def test_common_motion_of_scanner_and_image_changes_nothing():
    still = circular_cone(degrees(0, 220), axis_column=60.0, **CONE)
    shift = np.array([30.0, -20.0, 7.0])
    objects = shepp_logan(45.0)
    data = integrals(still, objects)
    moved = ImageGrid(SLICE.shape, SLICE.voxel_mm, tuple(shift))
    one = fdk(data, still, SLICE)
    np.testing.assert_allclose(fdk(data, still.moved(shift_mm=shift), moved), one, atol=2e-4)
    np.testing.assert_allclose(
        fdk(data, still.rotated(np.pi / 2), SLICE)[0], np.rot90(one[0], -1), atol=2e-4
    )


def test_order_of_the_views_does_not_matter(rng):
    geometry = circular_cone(degrees(0, 220), **CONE)
    data = integrals(geometry, shepp_logan(45.0))
    order = rng.permutation(geometry.n_views)
    one, other = fdk(data, geometry, SLICE), fdk(data[order], geometry.select(order), SLICE)
    np.testing.assert_allclose(other, one, atol=2e-5)  # float32 sums in another order


def test_slice_equals_the_slice_of_the_volume():
    geometry = circular_cone(degrees(0, 360, 5), **{**CONE, "shape": (40, 96)})
    grid = ImageGrid((12, 30, 30), (3.0, 3.0, 3.0))
    data = integrals(geometry, shepp_logan(45.0))
    region = (slice(4, 6), slice(5, 30), slice(0, 20))
    for settings in (FilterSettings(), FilterSettings(soften_rows=True)):
        whole = fdk(data, geometry, grid, settings=settings)
        part = fdk(data, geometry, grid, settings=settings, region=region)
        np.testing.assert_array_equal(part, whole[region])


def test_object_wider_than_the_detector_is_extrapolated():
    geometry = circular_cone(degrees(0, 360), **{**CONE, "shape": (9, 64)})
    data = integrals(geometry, [ball(60.0)])
    plan = planned(data, geometry, FilterSettings())
    assert plan.continued == (True, True)
    in_view = radius(SLICE) < 26  # the detector sees 30 mm
    continued = fdk(data, geometry, SLICE)[0][in_view]
    cut = fdk(data, geometry, SLICE, settings=FilterSettings(truncation="off"))[0][in_view]
    assert np.ptp(continued) < 0.25 * np.ptp(cut)
    assert abs(continued.mean() - 1) < 0.5 * abs(cut.mean() - 1)


def test_noise_at_the_edge_is_not_an_object(rng):
    geometry = circular_cone(degrees(0, 360), **CONE)
    data = integrals(geometry, [ball(R_MM)]) + rng.normal(0, 1, (180, 9, 128)).astype("f4")
    assert planned(data, geometry, FilterSettings()).continued == (False, False)


def test_softer_windows_lower_the_noise(rng):
    geometry = circular_cone(degrees(0, 360), **CONE)
    noise = rng.normal(size=(180, 9, 128)).astype("f4")
    sigma = [
        fdk(noise, geometry, SLICE, settings=FilterSettings(**settings)).std()
        for settings in (
            {}, {"window": "shepp-logan"}, {"window": "hann"}, {"window": "hann", "cutoff": 0.5},
            {"window": "hann", "cutoff": 0.5, "soften_rows": True},
        )
    ]  # fmt: skip
    assert (np.diff(sigma) < -0.1 * np.array(sigma[:-1])).all()


def test_too_short_half_turn_loses_density():
    image = ball_through(parallel(degrees(0, 120), **PARALLEL))
    assert inside(image, SLICE).mean() == pytest.approx(2 / 3, abs=5e-3)


def test_algorithm_yields_one_image():
    geometry = circular_cone(degrees(0, 360), axis_column=30.0, **CONE)
    data = integrals(geometry, [ball(R_MM)])
    A = XrayTransform(geometry, SLICE, on=cpu(2))
    model = LinearModel(A, data, inverse=FilteredBackProjection(A))
    x = np.zeros(SLICE.shape, np.float32)
    settings = {"window": "hann", "cutoff": 0.9}
    (step,) = solve(Fdk(**settings), model, x)
    expected = fdk(data, geometry, SLICE, settings=FilterSettings(**settings), on=cpu(2))
    np.testing.assert_array_equal(step.image, expected)
    assert (step.update, step.iteration, step.subset) == (1, 1, 1)
    (doubled,) = solve(Fdk(**settings), model, x, between=lambda image: 2 * image)
    np.testing.assert_array_equal(doubled.image, 2 * expected)
    assert list(solve(Fdk(), model, x, done=1)) == []
    assert "Hann" in Fdk(**settings).describe() and "90%" in Fdk(**settings).describe()


def test_faulty_projections_are_refused():
    geometry = circular_cone(circle(8), **CONE)
    data = np.zeros((8, 9, 128), np.float32)
    with pytest.raises(GeometryError, match=r"\(8, 9, 127\).*\(8, 9, 128\)"):
        fdk(data[:, :, :-1], geometry, SLICE)
    data[3, 4, 5] = np.nan
    with pytest.raises(DataError, match="1 of 9216"):
        fdk(data, geometry, SLICE)
