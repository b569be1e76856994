"""Rings, beam hardening and CT numbers: planted effects are removed, the rest is unchanged."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.core.settings import parse
from engine.corrections.preprocess import STEPS, FlatField, Hardening, Hounsfield, Logarithm, Rings
from engine.corrections.preprocess.central_slice import N_VOXELS, middle_rows, middle_slice
from engine.corrections.preprocess.hardening import evaluate, fit_uniform, fit_wedge, otsu
from engine.corrections.preprocess.levels import find_levels
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.io import read_projections
from engine.simulate import Detector, ShapePhantom, simulate_xray
from engine.simulate.shapes import Cylinder
from tests.engine.corrections.preprocess.scans import DISCS, fbp, geometry, integrals, scan

ON = cpu(2)
VIEWS = geometry(n_views=360, n_cols=513)
LARGE = ((0.0, 0.0, 200.0, 0.005), (70.0, 20.0, 30.0, 0.005), (-50.0, -110.0, 20.0, -0.004))
STRIPES = {30: 0.02, 80: 0.05, 120: 0.04, 200: -0.03, 300: 0.02, 301: 0.02, 302: 0.02, 370: 0.03}
"""Columns and the value added to p: in air, on the slope of the disc, before its features."""
NOISE = 0.01


@pytest.fixture
def noisy(rng: np.random.Generator) -> np.ndarray:
    values = integrals(VIEWS, LARGE)
    return values + rng.normal(0, NOISE, values.shape).astype("f4")


def reconstruct(one: Projections) -> np.ndarray:
    return fbp(one, n=151, voxel_mm=2.0)


@cache
def clean_image() -> np.ndarray:
    """Return the discs without noise."""
    return reconstruct(scan(integrals(VIEWS, LARGE), views=VIEWS))


@pytest.fixture(scope="module")
def faint() -> Projections:
    """Return noise, and the smaller noise of flats, which makes a stripe in every column."""
    rng, exact = np.random.default_rng(20240229), integrals(VIEWS, LARGE)
    values = exact + rng.normal(0, NOISE, exact.shape)
    values += rng.normal(0, 3 * NOISE / np.sqrt(len(exact)), exact.shape[1:])
    return scan(values.astype("f4"), views=VIEWS)


@pytest.fixture(scope="module")
def faint_error(faint: Projections) -> float:
    """Return the image error relative to the noise-free image."""
    return np.square(reconstruct(faint) - clean_image()).mean()


def test_planted_stripes_fall_to_a_tenth(noisy):
    striped = noisy.copy()
    for column, p in STRIPES.items():
        striped[:, :, column] += p
    step, before = Rings(), scan(striped, views=VIEWS)
    after = step.apply(before, on=ON)
    residual = (after.values - noisy).mean(axis=(0, 1))
    for column, p in STRIPES.items():
        assert abs(residual[column]) < abs(p) / 10
    changed = (after.values != striped).any(axis=(0, 1))
    assert changed.mean() < 0.05
    assert step.summary(before, after).startswith(
        f"{after.info['rings']['stripes']} stripes of 1,539"
    )


def test_disc_without_stripes_changes_less_than_its_noise(noisy):
    found = Rings().apply(scan(noisy, views=VIEWS), on=ON)
    assert (found.values != noisy).any(axis=0).mean() < 0.01  # columns found as stripes
    every = Rings(columns="all").apply(scan(noisy, views=VIEWS), on=ON)
    image = reconstruct(scan(noisy, views=VIEWS))
    noise = (image - clean_image()).std()
    for after in (found, every):
        assert np.abs(after.values - noisy).std() < NOISE / 3
        assert (reconstruct(after) - image).std() < noise / 3


def test_smoothing_all_columns_removes_faint_stripes_of_uniform_ones(rng):
    values = rng.normal(1, NOISE, (360, 1, 513)).astype("f4")
    gains = rng.normal(0, 2 * NOISE / np.sqrt(360), 513).astype("f4")
    data = scan(values + gains, views=geometry(360, 1, 513))
    spread = [
        Rings(columns=columns).apply(data, on=ON).values.mean(axis=0).std()
        for columns in ("found", "all")
    ]
    assert spread[1] < 0.6 * spread[0]  # median of 7 columns


@pytest.mark.parametrize("columns", ["auto", "found", "all"])
def test_scan_with_faint_stripes_gets_no_worse(columns, faint, faint_error):
    after = Rings(columns=columns).apply(faint, on=ON)
    assert (after.values != faint.values).any()
    assert np.square(reconstruct(after) - clean_image()).mean() < 1.05 * faint_error


def test_only_the_offset_of_gains_is_removed(rng):
    values = rng.normal(1, NOISE, (360, 1, 513)).astype("f4")
    striped = values.copy()
    striped[:, :, 250] += 0.1
    after = Rings().apply(scan(striped, views=geometry(360, 1, 513)), on=ON).values
    off = after - values
    assert np.ptp(off, axis=0).max() < 1e-6  # the offset is the same in each view
    assert abs(off[0, 0, 250]) < 4 * NOISE / np.sqrt(360)


@pytest.mark.parametrize(("n_views", "is_stripe"), [(45, False), (135, False), (300, True)])
def test_offset_in_less_than_half_of_the_views_belongs_to_the_object(n_views, is_stripe, rng):
    values = rng.normal(1, NOISE, (360, 1, 513)).astype("f4")
    values[30 : 30 + n_views, :, 250] += 0.3
    after = Rings().apply(scan(values, views=geometry(360, 1, 513)), on=ON).values
    off = float((values - after)[:, 0, 250].mean())
    assert off == pytest.approx(0.3 * n_views / 360 if is_stripe else 0, abs=0.01)


def test_chest_without_stripes_is_hardly_changed_and_with_stripes_corrected(shared_data, rng):
    """Stripes of 5 % in one pixel of a hundred fall to 0.35, including changes of good pixels."""
    path = shared_data / "ct-conebeam-xcist-chest" / "chest_cone_200x96x256_float32.raw"
    sound = np.fromfile(path, "<f4").reshape(200, 96, 256)
    views = geometry(200, 96, 256)
    np.testing.assert_array_equal(Rings().apply(scan(sound, views=views), on=ON).values, sound)
    added = (0.05 * (rng.random((96, 256)) < 0.01)).astype("f4")
    after = Rings().apply(scan(sound + added, views=views), on=ON).values
    assert (after - sound).mean(axis=0).std() < 0.35 * added.std()


ROD = ((0.0, 0.0, 200.0, 0.005), (0.0, 0.0, 12.0, 0.02), (60.0, 0.0, 8.0, 0.01))
"""A disc with a rod on the axis; the rings of the rod belong to the object."""


@pytest.mark.parametrize("width", [5, 12, 20])
def test_planted_bands_are_removed_and_a_rod_on_the_axis_is_not(width, rng):
    clean = integrals(VIEWS, ROD)
    clean = (clean + rng.normal(0, NOISE / 5, clean.shape)).astype("f4")
    sound = Rings(columns="found").apply(scan(clean, views=VIEWS), on=ON)
    assert sound.info["rings"]["bands"] == 0
    striped = clean.copy()
    places = [slice(at, at + width) for at in (20, 110, 330, 380)]
    for place, added in zip(places, (0.05, -0.03, 0.04, 0.06), strict=True):
        striped[:, :, place] += added
    step, before = Rings(columns="found"), scan(striped, views=VIEWS)
    after = step.apply(before, on=ON)
    assert after.info["rings"]["bands"] == 3 * len(places)
    off, planted = ((x - clean).mean(axis=0)[:, places[1]] for x in (after.values, striped))
    assert np.abs(off).max() < np.abs(planted).max() / 5
    assert "12 broad bands" in step.summary(before, after)
    one = step.changed(after, {**after.info["rings"], "stripes": 1, "bands": 1})
    assert step.summary(before, one).startswith("1 stripe of ")
    assert ", 1 broad band;" in f"{step.summary(before, one)};"
    none = Rings(columns="found", broadest=0).apply(before, on=ON)
    assert none.info["rings"]["bands"] == 0


TUBE = ((0.0, 0.0, 200.0, 0.02), (0.0, 0.0, 190.0, -0.015), (0.0, 0.0, 100.0, 0.01))
"""A tube on the axis that contains a rod; all of its edges are rings."""


@pytest.mark.parametrize("shapes", [LARGE, ROD, TUBE])
def test_scan_without_stripes_keeps_its_bits(shapes, rng):
    clean = integrals(VIEWS, shapes)
    for noise in (NOISE / 3, NOISE):
        values = (clean + rng.normal(0, noise, clean.shape)).astype("f4")
        after = Rings().apply(scan(values, views=VIEWS), on=ON)
        assert (after.values != values).any(axis=0).mean() < 0.005


def test_stripes_in_all_columns_are_detected_and_their_rings_decrease(rng):
    exact = integrals(VIEWS, LARGE)
    clean = exact + rng.normal(0, NOISE / 5, exact.shape)
    striped = clean + rng.normal(0, NOISE, exact.shape[1:])
    before = [scan(values.astype("f4"), views=VIEWS) for values in (clean, striped)]
    after = [Rings().apply(each, on=ON) for each in before]
    assert [each.info["rings"]["rows_evened"] for each in after] == [0, 3]
    summary = Rings().summary(before[1], after[1])
    assert summary.endswith("all columns equalised")
    whole, rings, corrected = (reconstruct(each) for each in (*before, after[1]))
    # within the disc, because stripes at its edge are not removed
    inner = np.s_[..., 35:116, 35:116]
    assert (corrected - whole)[inner].std() < 0.65 * (rings - whole)[inner].std()


def test_tooth_is_smoothed_and_chest_is_not(shared_data):
    """Flats of ten images leave a stripe in each column of the tooth. The chest has no stripes."""
    tooth = read_projections(shared_data / "ct-parallel-tooth" / "tooth.h5")
    prepared = Logarithm().apply(FlatField().apply(tooth, on=ON), on=ON)
    assert Rings().apply(prepared, on=ON).info["rings"]["rows_evened"] == 2
    path = shared_data / "ct-conebeam-xcist-chest" / "chest_cone_200x96x256_float32.raw"
    chest = np.fromfile(path, "<f4").reshape(200, 96, 256)[:, ::8]
    found = Rings().apply(scan(chest, views=geometry(200, 12, 256)), on=ON)
    assert found.info["rings"]["rows_evened"] == 0 == found.info["rings"]["bands"]


def test_sorting_gives_a_column_the_values_of_its_neighbours_by_rank(rng):
    values = rng.permuted(np.tile(rng.random((360, 1, 1)), (1, 1, 513)), axis=0).astype("f4")
    striped = values.copy()
    striped[:, :, 250] = 0.2 + 0.5 * values[:, :, 250]  # a stripe that changes with brightness
    before = scan(striped, views=geometry(360, 1, 513))
    after = Rings(columns="sorted", snr=100).apply(before, on=ON).values
    np.testing.assert_allclose(after, values, atol=1e-6)


def test_rings_state_why_they_cannot_be_corrected():
    assert "too few" in Rings().obstacle(scan(views=geometry(n_views=20)))
    assert "switch on the logarithm" in Rings().obstacle(scan(kind="transmission"))
    assert "columns are too few" in Rings(widest=40).obstacle(scan())
    assert Rings().obstacle(scan()) is None


HARD = (1.0, -0.06, 0.004)
"""Effect of beam hardening on a line integral: p + ... p² + ... p³."""
CYLINDER = ((5.0, -3.0, 45.0, 0.02),)


def test_planted_hardening_is_corrected_with_a_wedge():
    thickness = np.linspace(0, 100, 21)
    a = fit_wedge(evaluate(HARD, 0.02 * thickness), thickness, mu_per_mm=0.02, degree=4)
    clean = scan(integrals(geometry(), CYLINDER))
    hard = scan(evaluate(HARD, clean.values))
    step = Hardening(coefficients=a)
    after = step.apply(hard, on=ON)
    assert (
        np.abs(after.values - clean.values).max() < 1e-3 < np.abs(hard.values - clean.values).max()
    )
    assert step.summary(hard, after) == "largest line integral 1.63 corrected to 1.8"
    assert fit_wedge(thickness * 0.02, thickness) == pytest.approx((1, 0, 0), abs=1e-9)


def test_planted_hardening_is_corrected_with_a_uniform_object():
    clean = scan(integrals(geometry(), CYLINDER))
    hard = scan(evaluate(HARD, clean.values))
    a = fit_uniform(hard, fbp, mu_per_mm=0.02)
    flat = fbp(Hardening(coefficients=a).apply(hard, on=ON))
    cupped, centre, rim = fbp(hard), (slice(43, 53), slice(50, 60)), (slice(12, 17), slice(50, 60))
    assert cupped[rim].mean() - cupped[centre].mean() > 5e-4
    assert abs(flat[rim].mean() - flat[centre].mean()) < 1e-4
    assert flat[centre].mean() == pytest.approx(0.02, rel=0.005)
    assert fit_uniform(hard, fbp)[0] == 1


def test_decreasing_polynomial_is_refused():
    with pytest.raises(
        DataError, match=r"decreases from p = 1.01 on, but the scan has values up to 2"
    ):
        Hardening(coefficients=(1.0, -0.5)).apply(scan(2 * np.eye(4, dtype="f4")[None].repeat(4, 0),
                                                       views=geometry(4, 4, 4)), on=ON)  # fmt: skip
    assert "no coefficients" in Hardening().obstacle(scan())


def test_otsu_separates_two_levels(rng):
    image = np.where(rng.random((50, 50)) < 0.3, 1.0, 0.2) + rng.normal(0, 0.05, (50, 50))
    assert 0.4 < otsu(image) < 0.8


def test_water_is_zero_and_air_is_minus_thousand():
    grid = ImageGrid((1, 1, 3), (1.0, 1.0, 1.0))
    mu = Volume(np.array([[[0.0002, 0.02, 0.04]]], "f4"), grid, "1/mm")
    scale = Hounsfield(mu_water_per_mm=0.02, mu_air_per_mm=0.0002)
    found = scale.apply(mu)
    np.testing.assert_allclose(found.values[0, 0], [-1000, 0, 1000 * 0.02 / 0.0198], atol=1e-3)
    assert found.unit == "HU" and found.values.dtype == np.float32
    with pytest.raises(DataError, match="expected: 1/mm"):
        scale.apply(found)
    with pytest.raises(DataError, match="must be larger than that of air"):
        Hounsfield(mu_water_per_mm=0.01, mu_air_per_mm=0.02).apply(mu)


def test_steps_have_unique_names_and_defaults():
    kinds = [step.kind for step in STEPS]
    assert len(set(kinds)) == len(kinds)
    for step in STEPS:
        assert parse(step, {}, where="protocol").use == "auto"
        assert step.title


def test_gpu_arrays_stay_on_the_gpu(device, rng):
    data = scan(integrals(geometry(), DISCS))
    on_device = scan(device.to_device(data.values))
    found = Hardening(coefficients=HARD).apply(on_device, on=device)
    assert type(found.values) is type(on_device.values)
    expected = Hardening(coefficients=HARD).apply(data, on=ON).values
    np.testing.assert_allclose(device.to_host(found.values), expected, rtol=1e-6)


def body(rng, *, water=0.0214, air=0.0006, noise=0.0015, tissue=0.4):
    """Return (3, 120, 120) air, lung, water or soft tissue, and bone, with noise [1/mm]."""
    numerator = (0.5 - tissue / 2, 0.5 - tissue / 2, tissue, 0.05)
    parts = rng.choice([air, 0.3 * water, water, 1.9 * water], (3, 120, 120), p=_normed(numerator))
    noisy = (parts + rng.normal(0, noise, parts.shape)).astype("f4")
    return Volume(noisy, ImageGrid((3, 120, 120), (1.0, 1.0, 1.0)), "1/mm")


def _normed(numerator):
    return np.array(numerator) / sum(numerator)


@pytest.mark.parametrize("water", [0.0175, 0.0193, 0.0260])
@pytest.mark.parametrize("noise", [0.0002, 0.0015])
@pytest.mark.parametrize("tissue", [0.7, 0.03])
def test_levels_of_air_and_water_are_found_in_the_image(water, noise, tissue, rng):
    scale = Hounsfield(levels="found")
    after = scale.apply(body(rng, water=water, noise=noise, tissue=tissue))
    facts = after.info["hounsfield"]
    assert facts["water_per_mm"] == pytest.approx(water, abs=0.02 * water)
    assert facts["air_per_mm"] == pytest.approx(0.0006, abs=0.02 * water)
    message = scale.summary(after)
    assert f"water ({facts['water_per_mm']:.4g} 1/mm) is 0 HU" in message and "found" in message


def test_missing_levels_are_reported(rng):
    with pytest.raises(DataError, match="the histogram has no peak for mu_water_per_mm"):
        Hounsfield(levels="found").apply(body(rng, water=0.2, noise=0.0002))
    bright = body(rng)
    bright = Volume(bright.values + np.float32(0.02), bright.grid, "1/mm")
    with pytest.raises(DataError, match="the histogram has no peak for mu_air_per_mm"):
        Hounsfield(levels="found").apply(bright)


@pytest.mark.parametrize("beam", ["cone", "parallel"])
def test_cupping_of_a_uniform_object_is_detected_and_corrected(beam):
    cylinder = ShapePhantom("rod", (Cylinder((5.0, 0, 0), (60, 60, 100), mu_per_mm=0.03),))
    turn = {"cone": 2 * np.pi, "parallel": np.pi}[beam]
    angles = circle(120, range_rad=turn)
    size = {"shape": (5, 96), "pixel_mm": 2.5}
    if beam == "cone":
        views = circular_cone(angles, source_axis_mm=1000.0, source_detector_mm=1500.0, **size)
    else:
        views = parallel(angles, **size)
    counted = simulate_xray(
        cylinder, views, seed=1, hardening=0.5, detector=Detector(photons=1e6, gain_spread=0)
    )
    data = Logarithm().apply(FlatField().apply(counted, on=ON), on=ON)
    after = Hardening(fit="uniform").apply(data, on=ON)
    assert "fitted to this scan" in Hardening(fit="uniform").summary(data, after)

    def cupping(projections):
        image = middle_slice(middle_rows(projections, on=ON), on=ON)[0]
        at = (np.arange(N_VOXELS) + 0.5 - N_VOXELS / 2) * 96 * 2.5 / N_VOXELS
        at = at / projections.geometry.magnification.mean()
        away = np.hypot(at[:, None], at - 5.0)  # rows are y
        return image[(away > 45) & (away < 52)].mean() / image[away < 15].mean() - 1

    assert cupping(data) > 0.1
    assert abs(cupping(after)) < 0.1 * cupping(data)


@pytest.mark.parametrize("water", [0.01834, 0.01837, 0.0184])
def test_levels_are_interpolated_between_histogram_bins(water, rng):
    values = rng.normal(0, 3e-4, (20, 100, 100)).astype("f4")
    values[:, 30:70, 30:70] += np.float32(water)
    air, found = find_levels(values, 0.0193)
    assert found == pytest.approx(water, abs=2e-5)  # a bin is 1e-4 wide
    assert air == pytest.approx(0, abs=2e-5)
