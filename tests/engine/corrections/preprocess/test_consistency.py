"""Views that contradict their angles are reported; correct scans are not."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.preprocess.consistency import doubt_of_angles
from engine.corrections.preprocess.plausibility import doubts
from engine.geometry.orbits import circle, circular_cone, helical, parallel
from engine.io import read_projections
from engine.modalities.xray_ct.preview import SlicePreview
from engine.modalities.xray_ct.protocol import CtProtocol
from tests.engine.corrections.preprocess.scans import DISCS, integrals, scan

N = 180
HALF, TURN = np.pi, 2 * np.pi
OFF_CENTRE = ((7.0, 4.0, 35.0, 0.02), (22.0, -8.0, 6.0, 0.02), (-10.0, -12.0, 4.0, -0.015))
CENTRED = ((0.0, 0.0, 40.0, 0.02),)
RODS = (*CENTRED, (25.0, 0.0, 3.0, 0.5), (-25.0, 0.0, 3.0, 0.5))
GOLDEN = np.deg2rad(137.5077641)
WRONG = {
    "shuffled": lambda n: np.random.default_rng(1).permutation(n),
    "half reversed": lambda n: np.r_[0 : n // 2, n - 1 : n // 2 - 1 : -1],
    "half a range twice": lambda n: np.arange(n) % (n // 2),
    "every other one, twice": lambda n: 2 * np.arange(n) % n,
}


def flat(angles, **more):
    return parallel(angles, shape=(3, 121), pixel_mm=1.0, **more)


def cone(angles, n_columns=141, distance=300.0, **more):
    return circular_cone(
        angles,
        source_axis_mm=distance,
        source_detector_mm=1.5 * distance,
        shape=(5, n_columns),
        pixel_mm=1.2,
        **more,
    )


def noisy(values, photons):
    rng = np.random.default_rng(3)
    counts = np.maximum(rng.poisson(photons * np.exp(-values)), 0.5)
    return -np.log(counts / photons).astype(np.float32)


SOUND = {
    "half a turn": flat(circle(N, range_rad=HALF)),
    "a whole turn": flat(circle(2 * N)),
    "a quarter of a turn": flat(circle(N, range_rad=HALF / 2)),
    "few views": flat(circle(40, range_rad=HALF)),
    "an off-centre rotation axis": flat(circle(N, range_rad=HALF), axis_column=66.3),
    "golden angles": flat(GOLDEN * np.arange(N)),
    "cone": cone(circle(2 * N)),
    "wide cone": cone(circle(2 * N), distance=120.0, n_columns=181),
    "short scan": cone(circle(N, range_rad=np.deg2rad(220))),
    "ten turns": cone(circle(600, range_rad=10 * TURN)),
    "part of four turns": cone(circle(500, range_rad=3.7 * TURN)),
    "golden angles of a cone": cone(GOLDEN * np.arange(2 * N)),
    "interlaced turns": cone((np.arange(45) * 8 + 361 * np.arange(8)[:, None]).ravel() * HALF / N),
    "half fan": cone(circle(2 * N), axis_column=45.0),
    "cut off": cone(circle(2 * N), n_columns=75),
    "helix": helical(
        circle(600, range_rad=4 * TURN),
        pitch_mm=10,
        source_axis_mm=300,
        source_detector_mm=450,
        shape=(5, 141),
        pixel_mm=1.2,
    ),
}


@pytest.mark.parametrize("views", SOUND.values(), ids=SOUND.keys())
@pytest.mark.parametrize("discs", [DISCS, OFF_CENTRE, CENTRED, RODS])
def test_correct_scans_give_no_warning(views, discs):
    values = integrals(views, discs)
    hard = values / (1 + 0.2 * values)
    flicker = np.random.default_rng(2).normal(0, 0.01, (views.n_views, 1, 1)).astype(np.float32)
    for measured in (values, hard, noisy(values, 20_000), noisy(values, 200), values + flicker):
        assert doubt_of_angles(scan(measured, views=views)) is None


@pytest.mark.parametrize("fault", WRONG)
@pytest.mark.parametrize("kind", ["half a turn", "short scan", "a whole turn", "cone"])
def test_wrong_angles_give_a_warning(kind, fault):
    views = SOUND[kind]
    wrong = views.select(WRONG[fault](views.n_views))
    values = noisy(integrals(views, OFF_CENTRE), 5_000)
    message = doubt_of_angles(scan(values, views=wrong))
    assert message is not None and message.startswith("The views do not match their angles: ")
    assert message in doubts(scan(values, views=wrong))


@pytest.mark.parametrize("kind", ["half a turn", "cone", "golden angles", "ten turns"])
def test_wrongly_ordered_views_give_a_warning_for_any_order_of_angles(kind):
    views = SOUND[kind]
    order = np.random.default_rng(5).permutation(views.n_views)
    message = doubt_of_angles(scan(integrals(views, OFF_CENTRE)[order], views=views))
    assert message is not None and "match their angles: the centre of the shadow jumps" in message


def test_size_of_the_contradiction_is_stated():
    """A small disc at radius r has its shadow at r cos θ, on average r / √2 from the mean."""
    views = flat(circle(2 * N))
    values = integrals(views, ((30.0, 0.0, 8.0, 0.02),))
    shuffled = views.select(np.random.default_rng(1).permutation(2 * N))
    message = doubt_of_angles(scan(values, views=shuffled))
    assert "with a deviation of 21 pixels (rms)" in message  # 30 / √2 = 21.2


def test_both_directions_of_rotation_are_consistent():
    views = SOUND["cone"]
    assert (
        doubt_of_angles(scan(integrals(views, OFF_CENTRE), views=views.select(np.s_[::-1]))) is None
    )


@pytest.mark.parametrize("missing", [slice(77, 78), slice(60, 64), slice(0, N // 2)])
@pytest.mark.parametrize("kind", ["half a turn", "cone", "golden angles"])
def test_views_without_a_shadow_are_not_a_wrong_order(kind, missing):
    """The object was not yet in place, or the beam was off."""
    views = SOUND[kind]
    for discs in (OFF_CENTRE, CENTRED):
        values = integrals(views, discs)
        values[missing] = 0
        for noise in (0, 0.01):
            measured = values + np.random.default_rng(4).normal(0, noise, values.shape)
            assert doubt_of_angles(scan(measured, views=views)) is None
    values = integrals(views, OFF_CENTRE)
    values[missing] = 0
    order = np.random.default_rng(5).permutation(views.n_views)
    assert "jumps" in doubt_of_angles(scan(values, views=views.select(order)))


@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_detector_of_few_columns_gives_no_warning(n_columns):
    views = parallel(circle(N, range_rad=HALF), shape=(3, n_columns), pixel_mm=1.0)
    assert doubt_of_angles(scan(np.zeros((N, 3, n_columns), np.float32), views=views)) is None


def test_counts_and_an_empty_scan_are_not_checked():
    shuffled = flat(circle(N, range_rad=HALF)).select(WRONG["shuffled"](N))
    assert not doubts(scan(integrals(flat(circle(N)), OFF_CENTRE), views=shuffled, kind="counts"))
    assert not doubts(scan(np.zeros((N, 3, 121), np.float32), views=shuffled))


@pytest.mark.parametrize(
    "name",
    [
        "ct-parallel-tooth/tooth.h5",
        *(f"ct-fan-htc2022/htc2022_{n}.mat" for n in ("ta_full", "01a_full", "01a_limited")),
    ],
)
def test_real_scans_give_a_warning_only_with_planted_faults(shared_data, name):
    measured = read_projections(shared_data / name)
    prepared = SlicePreview(measured, on=cpu(2)).prepared(CtProtocol())
    assert not doubts(prepared)
    for fault in ("shuffled", "half reversed", "half a range twice", "every other one, twice"):
        wrong = prepared.geometry.select(WRONG[fault](prepared.n_views))
        assert doubts(scan(prepared.values, views=wrong)), fault


def test_chest_gives_a_warning_only_with_planted_faults(shared_data):
    path = shared_data / "ct-conebeam-xcist-chest" / "chest_cone_200x96x256_float32.raw"
    values = np.fromfile(path, "<f4").reshape(200, 96, 256)
    views = circular_cone(
        circle(200, first_rad=np.pi / 2),
        source_axis_mm=1000,
        source_detector_mm=1500,
        shape=(96, 256),
        pixel_mm=2.8,
    ).flipped(columns=True)
    assert not doubts(scan(values, views=views))
    for fault, order in WRONG.items():
        assert doubts(scan(values, views=views.select(order(200)))), fault
