"""From counts to line integrals: closed forms, detected defects, faults in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError
from engine.corrections.preprocess import BadPixels, FlatField, Logarithm
from engine.corrections.preprocess.defects import (
    TRIMMED,
    from_fields,
    mean_field,
    median_of_medians,
)
from engine.corrections.preprocess.plausibility import doubts
from tests.engine.corrections.preprocess.scans import geometry, integrals, scan

ON = cpu(2)
VIEWS = geometry(n_views=40, n_rows=24, n_cols=64)
PIXELS = VIEWS.shape


@pytest.fixture
def fields(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return six flats and six darks: a profile, gains that differ by 5 %, Poisson noise."""
    gain = 20_000 * (1 - 0.3 * np.linspace(-1, 1, PIXELS[1]) ** 2) * rng.normal(1, 0.05, PIXELS)
    darks = rng.normal(100, 2, (6, *PIXELS))
    return (rng.poisson(gain, (6, *PIXELS)) + 100.0).astype("f4"), darks.astype("f4")


def counts(fields, line_integrals) -> np.ndarray:
    """Return noise-free counts for the means of the fields."""
    beam, dark = fields[0].mean(axis=0), fields[1].mean(axis=0)
    return (dark + (beam - dark) * np.exp(-line_integrals)).astype("f4")


@pytest.mark.parametrize("dtype", ["u2", "f4"])
@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 11])
def test_mean_of_fields_is_the_trimmed_mean_of_scipy(rng: np.random.Generator, n, dtype):
    from scipy import stats  # the import takes a second, also in workers that only collect tests

    fields = (1000 * rng.random((n, 4, 5))).astype(dtype)
    if dtype == "f4":
        fields[n // 2, 1, 2], fields[0, 3, 3] = np.nan, np.inf
    found, expected = mean_field(fields), stats.trim_mean(fields, TRIMMED, axis=0)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected.astype("f4"))


def test_flat_field_becomes_one():
    flats, darks = np.full((5, *PIXELS), 900.0, "f4"), np.full((5, *PIXELS), 100.0, "f4")
    data = scan(np.full((3, *PIXELS), 900, np.uint16), "counts", flats=flats, darks=darks,
                views=VIEWS.select(slice(3)))  # fmt: skip
    found = FlatField().apply(data, on=ON)
    assert found.kind == "transmission" and found.values.dtype == np.float32
    np.testing.assert_allclose(found.values, 1, rtol=1e-6)


def test_line_integrals_are_recovered_from_counts(fields):
    expected = integrals(VIEWS)
    flats, darks = fields
    data = scan(counts(fields, expected), "counts", views=VIEWS, flats=flats, darks=darks)
    transmission = FlatField().apply(data, on=ON)
    found = Logarithm().apply(BadPixels().apply(transmission, on=ON), on=ON)
    assert found.kind == "integrals"
    # The trimmed mean of 6 flats of 20 000 counts differs slightly from their mean.
    np.testing.assert_allclose(found.values, expected, atol=0.01)


@pytest.mark.parametrize(
    "part, limit, message",
    [(1.0, None, "100 %"), (0.2, None, "20 %"), (0.02, None, ""), (1, 7e4, "")],
)
def test_flats_at_full_scale_give_a_warning(fields, part, limit, message):
    flats, darks = fields
    bright = np.arange(flats.size).reshape(flats.shape) % 100 < 100 * part
    flats = np.where(bright, np.float32(65535), np.minimum(flats, 65534))
    data = scan(counts(fields, integrals(VIEWS)), "counts", views=VIEWS, flats=flats, darks=darks)
    warnings = doubts(FlatField(saturated_counts=limit).apply(data, on=ON))
    assert [text.split(" of the flat")[0] for text in warnings] == ([message] if message else [])


def test_flats_of_two_times_are_interpolated():
    flats = np.concatenate([np.full((3, *PIXELS), 1000.0), np.full((3, *PIXELS), 800.0)])
    values = np.linspace(1000, 800, 41)[:40, None, None] * np.ones(PIXELS)
    info = {"flat_views": [0, 0, 0, 40, 40, 40]}
    data = scan(values.astype("f4"), "counts", views=VIEWS, flats=flats, info=info)
    np.testing.assert_allclose(FlatField().apply(data, on=ON).values, 1, rtol=1e-6)
    mean = FlatField(flats="mean").apply(data, on=ON).values
    assert mean[0, 0, 0] == pytest.approx(1000 / 900) and mean[-1, 0, 0] < 0.92


def test_drift_of_the_source_is_measured_in_air(fields):
    flats, darks = fields
    expected = integrals(VIEWS, discs=((0.0, 0.0, 15.0, 0.02),))
    drift = np.linspace(1, 0.9, VIEWS.n_views, dtype="f4")[:, None, None]
    dark = darks.mean(axis=0)
    values = dark + drift * (counts(fields, expected) - dark)
    data = scan(values.astype("f4"), "counts", views=VIEWS, flats=flats, darks=darks)
    step = FlatField(air="both")
    after = step.apply(data, on=ON)
    np.testing.assert_allclose(-np.log(after.values), expected, atol=0.01)
    assert "drifted by 11 %" in step.summary(data, after)  # 0.1 relative to the middle, 0.95


def test_edge_with_the_object_is_not_used_as_air(fields):
    flats, darks = fields
    expected = integrals(VIEWS, discs=((20.0, 0.0, 15.0, 0.05),))
    data = scan(counts(fields, expected), "counts", views=VIEWS, flats=flats, darks=darks)
    with pytest.raises(DataError, match=r"air columns .* choose an edge"):
        FlatField(air="left").apply(data, on=ON)


def test_only_planted_bad_pixels_are_found(fields):
    flats, darks = fields
    flats[:, 5, 9] = darks[:, 5, 9]  # dead
    flats[:, 11, 30] *= 0.5  # weak
    darks[:, 7, 50] += 500  # hot
    darks[:, 20, 3] += np.array([0, 90, -90, 80, -80, 0])  # noisy
    flats[0, 2, 2] = np.nan
    flats[:, 15, 10:13] = 0  # a gap
    bad = from_fields(flats, darks, (flats - darks.mean(axis=0)).mean(axis=0)[None])
    expected = {(5, 9), (11, 30), (7, 50), (20, 3), (2, 2), (15, 10), (15, 11), (15, 12)}
    assert set(zip(*np.nonzero(bad), strict=True)) == expected


def test_bad_pixels_are_replaced_by_their_neighbours(fields):
    flats, darks = fields
    expected = integrals(VIEWS, discs=((0.0, 0.0, 25.0, 0.02),))
    values = counts(fields, expected)
    flats[:, 5, 9] = darks[:, 5, 9]
    values[:, 15, 10:13] = 65535  # above full scale
    data = scan(values, "counts", views=VIEWS, flats=flats, darks=darks)
    transmission = FlatField().apply(data, on=ON)
    step = BadPixels()
    after = step.apply(transmission, on=ON)
    assert np.isnan(transmission.values).sum() == 4 * VIEWS.n_views
    found = -np.log(after.values)
    # difference between neighbouring columns of the rod: 0.02 × 2.2 × 1 mm
    assert np.abs(found - expected)[:, 5, 9].max() < 0.1
    assert np.abs(found - expected)[:, 15, 10:13].max() < 0.15
    assert "160 values not measured" in step.summary(transmission, after)


def test_zingers_are_found_and_noise_and_edges_are_not(rng):
    clean = np.exp(-integrals(VIEWS)) * rng.normal(1, 0.02, (VIEWS.n_views, *PIXELS))
    values = clean.astype("f4")
    at = tuple(rng.integers(0, n, 50) for n in values.shape)
    values[at] *= 1.5
    after = BadPixels().apply(scan(values, "transmission", views=VIEWS), on=ON)
    changed = after.values != values
    assert changed[at].mean() > 0.95
    assert changed.sum() < 55
    assert np.abs(after.values[at] / clean[at] - 1).mean() < 0.04


def test_valid_values_keep_their_bits(rng):
    values = np.exp(-integrals(VIEWS))
    after = BadPixels().apply(scan(values, "transmission", views=VIEWS), on=ON)
    np.testing.assert_array_equal(after.values, values)


def test_threads_and_blocks_change_nothing(rng, monkeypatch):
    values = rng.random((40, *PIXELS), np.float32)
    values[rng.random(values.shape) < 0.02] = np.nan
    data = scan(values, "transmission", views=VIEWS)
    whole = BadPixels().apply(data, on=cpu(1))
    monkeypatch.setattr("engine.corrections.preprocess.blocks.VIEWS_BYTES", 3 * 4 * 24 * 64)
    blocks = BadPixels().apply(data, on=cpu(2))
    np.testing.assert_array_equal(whole.values, blocks.values)
    assert whole.info == blocks.info


def test_median_of_medians_ignores_one_outlier(rng):
    values = np.ones((1, 7, 7), "f4")
    values[0, 3, 3] = rng.random()
    np.testing.assert_array_equal(median_of_medians(values), 1)


def test_logarithm_clips_and_counts_invalid_values():
    values = np.ones((40, *PIXELS), "f4")
    values[0, 0, :3] = (0, -1, 1.5)
    step, data = Logarithm(least_transmission=1e-3), scan(values, "transmission", views=VIEWS)
    after = step.apply(data, on=ON)
    np.testing.assert_allclose(after.values[0, 0, :4], [np.log(1e3)] * 2 + [-np.log(1.5), 0])
    assert step.summary(data, after).startswith("2 values clipped at 0.001")
    assert "1 brighter" in step.summary(data, after)


@pytest.mark.parametrize("level", [0.0, 10.0, np.nan])
def test_flats_without_light_give_one_sentence(level):
    flats, darks = np.full((2, *PIXELS), level, "f4"), np.full((2, *PIXELS), 10.0, "f4")
    data = scan(np.full((40, *PIXELS), 50, "f4"), "counts", views=VIEWS, flats=flats, darks=darks)
    with pytest.raises(
        DataError, match=r"No pixel of the flat fields has more counts than the dark .* swapped"
    ):
        FlatField().apply(data, on=ON)


def test_flats_of_another_size_give_one_sentence():
    with pytest.raises(GeometryError, match=r"fields 'flat' have shape .* same binning"):
        scan(np.ones((40, *PIXELS)), "counts", views=VIEWS, flats=np.ones((2, 24, 65)))


def test_nan_is_reported_before_it_spreads():
    values = np.ones((40, *PIXELS), "f4")
    values[3, 4, 5] = np.nan
    data = scan(values, "transmission", views=VIEWS)
    with pytest.raises(DataError, match=r"1 values .* infinite or NaN; .* bad-pixel correction"):
        Logarithm().apply(data, on=ON)
    values[7] = np.nan
    with pytest.raises(DataError, match=r"View 8 contains no measured values"):
        BadPixels().apply(data, on=ON)


def test_steps_name_missing_inputs():
    counted = scan(np.ones((40, *PIXELS), "f4"), "counts", views=VIEWS)
    assert "no flat fields" in FlatField().obstacle(counted)
    assert FlatField(open_counts=1000.0).obstacle(counted) is None
    assert "still counts" in Logarithm().obstacle(counted)
    assert "already" in Logarithm().obstacle(scan(views=VIEWS))
    assert "already" in FlatField().obstacle(scan(views=VIEWS))


def test_one_number_can_replace_the_flats():
    counted = scan(np.full((40, *PIXELS), 250.0, "f4"), "counts", views=VIEWS)
    after = FlatField(open_counts=1000.0).apply(counted, on=ON)
    np.testing.assert_allclose(after.values, 0.25)


@pytest.mark.parametrize(("air", "expected"), [("left", 1.0), ("right", 0.9), ("both", 0.95)])
def test_air_is_measured_on_the_named_sides(fields, air, expected):
    flats, darks = fields
    dark = darks.mean(axis=0)
    empty = np.ones(VIEWS.shape, "f4") * np.linspace(1.0, 0.9, VIEWS.shape[1], dtype="f4")
    empty[:, : VIEWS.shape[1] // 2], empty[:, VIEWS.shape[1] // 2 :] = 1.0, 0.9
    values = dark + (flats.mean(axis=0) - dark) * np.repeat(empty[None], VIEWS.n_views, axis=0)
    data = scan(values.astype("f4"), "counts", views=VIEWS, flats=flats, darks=darks)
    after = FlatField(air=air).apply(data, on=ON).values
    middle = np.nanmedian(after[:, :, 1 : VIEWS.shape[1] // 2 - 1])
    assert middle == pytest.approx(1.0 / expected, rel=0.005)
