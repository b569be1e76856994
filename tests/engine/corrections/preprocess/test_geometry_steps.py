"""Steps that change the geometry together with the pixels: crop, binning, centre, roll."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.corrections.preprocess import Binning, CentreOfRotation, Crop, Roll
from engine.corrections.preprocess.axis_search import (
    METHODS,
    by_moment,
    by_opposite_views,
    by_wedge,
)
from engine.corrections.preprocess.parameter_sweep import SCORES, lowest, rolled, sweep
from tests.engine.corrections.preprocess.scans import fbp, geometry, integrals, scan

ON = cpu(2)


def test_binning_preserves_means_and_positions(rng):
    views = geometry(n_views=9, n_rows=7, n_cols=13, axis=5.2)
    data = scan(rng.random((9, 7, 13), np.float32), views=views)
    after = Binning(pixels=2, views=3).apply(data, on=ON)
    assert after.shape == (3, 3, 6)
    whole = data.values[:, :6, :12].reshape(3, 3, 3, 2, 6, 2)
    np.testing.assert_allclose(after.values, whole.mean(axis=(1, 3, 5)), rtol=1e-6)
    corners = views.pixel_mm(1)[:6, :12].reshape(3, 2, 6, 2, 3)
    np.testing.assert_allclose(after.geometry.pixel_mm(0), corners.mean(axis=(1, 3)), atol=1e-9)


def test_binned_pixel_with_a_bad_part_is_bad(rng):
    bad = np.zeros((7, 13), bool)
    bad[3, 5] = True
    data = scan(rng.random((9, 7, 13), np.float32), views=geometry(9, 7, 13), bad_pixels=bad)
    after = Binning(pixels=2).apply(data, on=ON)
    np.testing.assert_array_equal(np.argwhere(after.bad_pixels), [[1, 2]])


def test_binned_views_stay_on_their_circle():
    views = geometry(n_views=180, axis=55.0)
    after = Binning(views=2).apply(scan(views=views), on=ON).geometry
    halfway = (views.angles_rad[::2] + views.angles_rad[1::2]) / 2
    np.testing.assert_allclose(after.angles_rad, halfway, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(after.u_mm, axis=1), 1)
    np.testing.assert_allclose(after.axis_column, 55.0)


def test_binning_in_blocks_changes_nothing(rng, monkeypatch):
    data = scan(rng.random((20, 4, 16), np.float32), views=geometry(20, 4, 16))
    whole = Binning(pixels=2, views=3).apply(data, on=ON)
    monkeypatch.setattr("engine.corrections.preprocess.blocks.VIEWS_BYTES", 4 * 4 * 4 * 16)
    np.testing.assert_array_equal(
        Binning(pixels=2, views=3).apply(data, on=ON).values, whole.values
    )


def test_crop_preserves_pixel_positions(rng):
    views = geometry(n_views=4, n_rows=8, n_cols=12)
    fields = {"flats": rng.random((2, 8, 12)), "bad_pixels": rng.random((8, 12)) > 0.5}
    data = scan(rng.random((4, 8, 12), np.float32), "counts", views=views, **fields)
    step = Crop(rows=(2, 7), columns=(1, 9))
    after = step.apply(data, on=ON)
    np.testing.assert_array_equal(after.values, data.values[:, 2:7, 1:9])
    np.testing.assert_array_equal(after.flats, data.flats[:, 2:7, 1:9])
    np.testing.assert_array_equal(after.bad_pixels, data.bad_pixels[2:7, 1:9])
    np.testing.assert_allclose(after.geometry.pixel_mm(3), views.pixel_mm(3)[2:7, 1:9], atol=1e-12)
    assert step.summary(data, after) == "5 of 8 rows and 8 of 12 columns used"
    with pytest.raises(
        DataError, match=r"\(columns\): 3 to 20 is not inside the detector, expected 0 to 12"
    ):
        Crop(columns=(3, 20)).apply(data, on=ON)


def test_too_few_views_of_half_a_turn_give_no_axis_and_no_warning(rng):
    # four full turns, each of four views
    views = geometry(n_views=8, n_cols=32, turn=8 * np.pi / 2)
    data = scan(rng.random((8, *views.shape), np.float32), views=views)
    with pytest.raises(DataError, match=r"2 views over half a turn are too few"):
        by_wedge(data)
    why = CentreOfRotation().apply(data, on=ON).info["centre"]["why"]
    # in a full turn, opposite rays are compared; here they are noise
    assert "of their variance" in why


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_views", [1, 2])
def test_one_or_two_views_give_a_reason_instead_of_an_axis(method, n_views):
    few = scan(integrals(geometry(n_views=n_views)), views=geometry(n_views=n_views))
    with pytest.raises(DataError, match=f"the search needs 3 views, but the scan has {n_views}"):
        CentreOfRotation(method=method).apply(few, on=ON)
    assert "needs 3 views" in CentreOfRotation().apply(few, on=ON).info["centre"]["why"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("turn", [np.pi, 2 * np.pi])
@pytest.mark.parametrize("axis", [60.0, 63.37, 52.8])
def test_planted_axis_is_found(method, turn, axis, rng):
    n_views = round(180 * turn / np.pi)
    values = integrals(geometry(n_views, axis=axis, turn=turn))
    values += rng.normal(0, 0.01, values.shape).astype("f4")
    data = scan(values, views=geometry(n_views, turn=turn))
    after = CentreOfRotation(method=method).apply(data, on=ON)
    np.testing.assert_allclose(after.geometry.axis_column, axis, atol=0.1)


SHIFTS = np.arange(1.1, 4.2, 0.5)


@pytest.fixture(scope="module")
def images():
    """Return a scan with its axis at column 57.4, and its slice with the axis at each shift."""
    data = scan(integrals(geometry(axis=57.4)), views=geometry())
    moved = [replace(data, geometry=data.geometry.shifted(columns=value)) for value in SHIFTS]
    return data, {one.geometry.axis_column[0]: fbp(one) for one in moved}


@pytest.mark.parametrize("score", SCORES)
def test_sweep_finds_a_planted_axis(score, images):
    axis, (data, slices) = 57.4, images
    found = sweep(data, lambda one: slices[one.geometry.axis_column[0]], SHIFTS, score=score)
    # Interpolation between pixels blurs, and so shifts the sharpest image.
    assert 60 - found.value == pytest.approx(axis, abs=0.5 if score == "sharpness" else 0.1)
    assert len(found.candidates) == 7
    # The image belongs to its value, whatever the label states.
    best = data.geometry.shifted(columns=found.best.value)
    np.testing.assert_array_equal(found.best.image, slices[best.axis_column[0]].astype("f4"))


def test_sweep_finds_a_planted_roll():
    views = geometry(n_views=90, n_rows=41)
    tilted = replace(scan(views=views), values=_chords_in(views.rolled(np.radians(2.0))))

    def slice_above(projections):
        return fbp(projections, z_mm=12.0)

    found = sweep(tilted, slice_above, np.arange(0.0, 4.1), move=rolled, unit="°")
    assert found.value == pytest.approx(2.0, abs=0.2)
    after = Roll(degrees=2.0).apply(tilted, on=ON)
    np.testing.assert_allclose(after.geometry.u_mm, views.rolled(np.radians(2.0)).u_mm)


def _chords_in(views):
    """Return chords of a centred and an off-centre rod along z, pixel by pixel."""
    total = np.zeros((views.n_views, *views.shape))
    for view in range(views.n_views):
        pixels, ray = views.pixel_mm(view), views.source_mm[view]
        for x, y, radius, mu in ((0, 0, 40.0, 0.02), (18.0, 6.0, 6.0, 0.02)):
            away = (pixels[..., 0] - x) * ray[1] - (pixels[..., 1] - y) * ray[0]
            total[view] += 2 * mu * np.sqrt(np.maximum(radius**2 - away**2, 0))
    return total.astype("f4")


def test_axis_close_to_the_geometry_is_not_changed():
    data = scan(views=geometry(axis=58.0))
    after = CentreOfRotation().apply(data, on=ON)
    assert after.geometry is data.geometry
    assert "as in the geometry of the scan" in CentreOfRotation().summary(data, after)


def test_axis_of_a_tooth_is_found(shared_data):
    h5py = pytest.importorskip("h5py")
    with h5py.File(shared_data / "ct-parallel-tooth" / "tooth.h5") as file:
        group = file["exchange"]
        values, flats, darks = (group[n][:] for n in ("data", "data_white", "data_dark"))
        theta = np.radians(group["theta"][:])
    flat, dark = flats.mean(axis=0), darks.mean(axis=0)
    views = geometry(n_views=len(theta), n_rows=2, n_cols=640, turn=181 * (theta[1] - theta[0]))
    data = scan(-np.log((values - dark) / (flat - dark)), views=views)
    found = CentreOfRotation().apply(data, on=ON).geometry.axis_column[0]
    assert 295 <= found <= 296.5
    swept = sweep(data, lambda p: fbp(p, n=251, voxel_mm=2.0), 319.5 - np.arange(294.0, 298.1))
    assert 295 <= 319.5 - swept.value <= 296.5


def test_methods_state_why_they_cannot_be_used():
    wide = scan(integrals(geometry(), discs=((0.0, 0.0, 80.0, 0.02),)))
    with pytest.raises(DataError, match="wider than the detector"):
        by_moment(wide)
    short = scan(views=geometry(60, turn=1.0))
    with pytest.raises(DataError, match="Centre of rotation: no two views are 180° apart"):
        by_opposite_views(short)
    with pytest.raises(DataError, match="the views are not evenly spaced over half a turn"):
        by_wedge(short)
    with pytest.raises(DataError, match="at least three values"):
        sweep(wide, fbp, [0.0])


def test_lowest_point_of_a_parabola_is_interpolated():
    at = np.arange(5.0)
    assert lowest(at, (at - 2.3) ** 2) == pytest.approx(2.3)
    assert lowest(at, at) == 0.0
