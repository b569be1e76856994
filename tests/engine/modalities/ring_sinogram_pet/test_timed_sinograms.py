"""TOF sinograms agree with list mode, for any order of the TOF bins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError
from engine.corrections.scatter_in_time import near_by
from engine.corrections.sinogram import SINOGRAM_CORRECTIONS, BinScatter
from engine.corrections.sinogram_roles import RANDOMS, SCATTER
from engine.data.bin_values import BareBins, n_direct, spread
from engine.data.runs.events import Corrected, Finished, Warned
from engine.data.sinogram import Sinogram, binned, events_of
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import uniform_spread
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_sinogram, write_listmode
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.io.siemens.layout import by_obliqueness
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.ring_sinogram_pet import model as ring_sinogram_pet
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.ring_sinogram_pet.time_order import found_order, orders
from engine.modalities.studies import Study
from tests.engine.modalities.ring_sinogram_pet.timed_decays import (
    DISCS,
    N_TIMES,
    RING,
    timed_events,
)

ON = cpu(2)
GRID = ImageGrid((8, 22, 22), (5.0, 5.0, 2.5))
WHOLE = SinogramLayout.of(RING)


def scan(n: int = 20_000, layout: SinogramLayout = WHOLE) -> Sinogram:
    return binned(timed_events(n), layout, timed=True)


def oriented(events):
    """Return sorted rows of (crystal, crystal, TOF bin); the smaller crystal comes first."""
    pairs, times = events.crystals, events.tof_bins
    turned = pairs[:, 0] > pairs[:, 1]
    times = np.where(turned, N_TIMES - 1 - times, times)
    rows = np.column_stack([np.sort(pairs, axis=1), times])
    return rows[np.lexsort(rows.T[::-1])]


def test_tof_bins_add_up_to_the_counts_and_are_restored_as_events(tmp_path):
    events = timed_events(20_000)
    data = binned(events, WHOLE, timed=True)
    sums = sum(data.timed.dense(time, WHOLE.n_bins) for time in range(N_TIMES))
    np.testing.assert_array_equal(sums, data.prompts)
    write_sinogram(data, tmp_path / "a.hs")
    again = read_sinogram(tmp_path / "a.hs")
    assert again.timed.is_ordered and again.scanner.tof == RING.tof
    has_bin = WHOLE.bins_of(events.crystals)[1]
    np.testing.assert_array_equal(oriented(events_of(again)), oriented(events.select(has_bin)))


@pytest.mark.parametrize("spread", [None, uniform_spread(7.0)], ids=["thin", "resolution"])
@pytest.mark.parametrize("n_subsets", [1, 4])
def test_tof_sinograms_give_the_image_of_tof_list_mode(n_subsets, spread):
    rng, data = np.random.default_rng(3), scan()
    factors = rng.uniform(0.5, 1.5, WHOLE.n_bins).astype(np.float32)
    factors[::40] = 0
    background = rng.uniform(0, 0.2, WHOLE.n_bins).astype(np.float32)
    corrected = replace(data, factors=factors, point_spread=spread).with_background(background)
    usable = ring_sinogram_pet.usable(corrected).data
    model = ring_sinogram_pet.build(usable, GRID, n_subsets=n_subsets, on=ON)
    place = np.full(WHOLE.n_bins, -1)
    lines = ring_sinogram_pet.rows_of(usable)
    place[lines] = np.arange(len(lines))
    x = y = np.ones(GRID.shape, np.float32)
    for k in [*range(n_subsets)] * 2:
        part = model.subset(k, n_subsets)
        own = usable.timed.where(place[usable.timed.bins] % n_subsets == k)
        numbers = np.repeat(own.bins, own.counts.astype(int))
        listed = replace(
            timed_events(1),
            crystals=WHOLE.crystals_of(numbers),
            tof_bins=np.repeat(own.times, own.counts.astype(int)),
            factors=factors[numbers],
            background=background[numbers] / N_TIMES,
            point_spread=spread,
        )
        before_blur = part if spread is None else part.within
        sensitivity = Sensitivity(before_blur.sensitivity, 1, 1, 0.0)
        events = listmode_pet.build(listed, GRID, sensitivity, on=ON)
        sensitive = part.sensitivity > 0
        over = np.where(sensitive, part.sensitivity, 1)
        x = np.where(sensitive, part.em_step(x).numerator / over, x)
        y = np.where(sensitive, events.em_step(y).numerator / over, y)
    np.testing.assert_allclose(x, y, atol=1e-5 * x.max())


def test_sensitivity_equals_that_without_tof():
    data = scan()
    still = replace(data, timed=None)
    timed, untimed = (
        ring_sinogram_pet.build(each, GRID, n_subsets=1, on=ON) for each in (data, still)
    )
    np.testing.assert_allclose(timed.sensitivity, untimed.sensitivity, rtol=1e-6)


COMMON = {
    "algorithm": {"kind": "mlem", "iterations": 3},
    "finishing": [],
    "grid": {"voxel_mm": (5, 5, 2.5), "diameter_mm": 110, "length_mm": 20},
}


def reconstructed(path, **changes):
    protocol = RingSinogramProtocol.model_validate({**COMMON, **changes})
    events = list(run(Study(data=path, protocol=protocol), on=ON))
    (image,) = (e.volume for e in events if isinstance(e, Finished))
    return image, events


def test_complete_runs_of_list_mode_and_sinograms_give_one_image(tmp_path):
    data = scan()
    write_sinogram(data, tmp_path / "scan.hs")
    write_listmode(events_of(data), tmp_path / "scan.h5")
    listed = ListModeProtocol.model_validate({**COMMON, "sensitivity": {"method": "exact"}})
    (one,) = (
        e.volume
        for e in run(Study(data=tmp_path / "scan.h5", protocol=listed), on=ON)
        if isinstance(e, Finished)
    )
    other, _ = reconstructed(tmp_path / "scan.hs")
    np.testing.assert_allclose(other.values, one.values, atol=1e-5 * one.values.max())
    without, _ = reconstructed(tmp_path / "scan.hs", time_of_flight=False)
    assert np.abs(without.values - other.values).max() > 0.1 * other.values.max()


def test_image_shows_the_decays(tmp_path):
    """After eight iterations the contrast of the two discs is closer to 3 than without TOF."""
    write_sinogram(scan(200_000), tmp_path / "scan.hs")
    ratios = []
    for timed in (True, False):
        passes = {"kind": "mlem", "iterations": 8}
        image, _ = reconstructed(tmp_path / "scan.hs", time_of_flight=timed, algorithm=passes)
        x, y = GRID.centres_mm(0)[None, :], GRID.centres_mm(1)[:, None]
        plane = image.values[1:-1].mean(axis=0)
        hot, warm = (plane[(x - a) ** 2 + (y - b) ** 2 < (0.6 * r) ** 2].mean()
                     for _, a, b, r in DISCS)  # fmt: skip
        ratios.append(hot / warm)
    assert ratios[0] == pytest.approx(3, rel=0.05)
    assert abs(ratios[0] - 3) < abs(ratios[1] - 3)


@pytest.mark.parametrize("text", list(orders(N_TIMES)))
def test_direction_of_tof_is_found_from_the_counts(text):
    """The correct order is known, because the decays were simulated without our model."""
    data = scan(60_000)
    numbers = orders(N_TIMES)[text]
    shuffled = data.timed.in_order(np.argsort(numbers).tolist())  # in the order of a file
    found = found_order(replace(data, timed=replace(shuffled, is_ordered=False)), GRID, on=ON)
    assert found.numbers == numbers and found.is_sure
    back = shuffled.in_order(found.numbers)
    np.testing.assert_array_equal(back.counts, data.timed.counts)
    np.testing.assert_array_equal(back.bins, data.timed.bins)


def test_two_tof_bins_have_two_orders_and_more_have_four():
    assert [len(orders(n)) for n in (2, 3, 4)] == [2, 4, 4]
    assert orders(2) == {"towards the second crystal": (0, 1), "towards the first crystal": (1, 0)}


def test_file_without_a_stated_order_gives_the_same_image_with_a_note(tmp_path):
    data = scan(60_000)
    write_sinogram(data, tmp_path / "stated.hs")
    turned = data.timed.in_order(orders(N_TIMES)["towards the first crystal"])
    write_sinogram(replace(data, timed=replace(turned, is_ordered=False)), tmp_path / "untold.hs")
    one, _ = reconstructed(tmp_path / "stated.hs")
    other, events = reconstructed(tmp_path / "untold.hs")
    np.testing.assert_array_equal(one.values, other.values)
    (message,) = (e.text for e in events if isinstance(e, Corrected) and e.kind == "time_of_flight")
    assert "towards the first crystal" in message


def test_symmetric_tof_counts_are_reported_as_uncertain(tmp_path):
    """If all counts are in the middle bin, they do not show the direction."""
    middle = np.random.default_rng(1).poisson(0.5, WHOLE.n_bins).astype(np.float32)
    none = np.zeros_like(middle)
    times = [middle if time == N_TIMES // 2 else none for time in range(N_TIMES)]
    data = Sinogram(WHOLE, middle, timed=TimedCounts.of(times, is_ordered=False))
    write_sinogram(data, tmp_path / "a.hs")
    _, events = reconstructed(tmp_path / "a.hs")
    assert any("do not show it reliably" in e.text for e in events if isinstance(e, Warned))


def corrected(data: Sinogram) -> Sinogram:
    """Return the sinogram after the corrections for randoms and scatter."""
    for step in (kind() for kind in SINOGRAM_CORRECTIONS):
        if step.obstacle(data) is None and step.kind in ("randoms", "scatter"):
            data = step.apply(data, on=ON)
    return data


def test_randoms_are_equal_in_all_tof_bins(tmp_path):
    data = scan()
    expected = data.prompts + np.float32(0.5)
    write_sinogram(replace(data, prompts=expected, timed=None), tmp_path / "randoms.hs")
    randoms = RANDOMS.read(tmp_path / "randoms.hs", None)
    found = corrected(RANDOMS.attached(data, randoms))
    own = expected[data.timed.bins] / N_TIMES
    np.testing.assert_allclose(found.timed.background, own, rtol=1e-6)


def test_scatter_of_a_tof_file_has_tof(tmp_path):
    data, rng = scan(), np.random.default_rng(4)
    times = rng.uniform(0, 0.1, (N_TIMES, WHOLE.n_bins)).astype(np.float32)
    estimate = Sinogram(WHOLE, times.sum(axis=0), timed=TimedCounts.of(times))
    estimate = replace(estimate, layout=data.layout)
    write_sinogram(estimate, tmp_path / "scatter.hs")
    scatter = SCATTER.read(tmp_path / "scatter.hs", None)
    found = corrected(SCATTER.attached(data, scatter))
    np.testing.assert_array_equal(found.timed.background, times[data.timed.times, data.timed.bins])
    np.testing.assert_allclose(found.background, times.sum(axis=0), rtol=1e-5)


def test_scatter_without_tof_preserves_its_counts_and_follows_nearby_bins():
    data = scan(60_000)
    expected = np.full(WHOLE.n_bins, 0.3, np.float32)
    every = replace(
        data.timed,
        starts=np.arange(N_TIMES + 1) * WHOLE.n_bins,
        bins=np.tile(np.arange(WHOLE.n_bins, dtype=np.int32), N_TIMES),
        counts=np.concatenate([data.timed.dense(t, WHOLE.n_bins) for t in range(N_TIMES)]),
    )
    spread = near_by(data, every, expected).reshape(N_TIMES, -1)
    np.testing.assert_allclose(spread.sum(axis=0), expected, rtol=1e-5)
    mean = (spread * np.arange(N_TIMES)[:, None]).sum(axis=0) / expected
    measured = np.stack([data.timed.dense(t, WHOLE.n_bins) for t in range(N_TIMES)])
    near = measured.reshape(N_TIMES, WHOLE.n_planes, WHOLE.n_views, -1).sum(axis=1)
    rich = near.sum(axis=0) > 40
    centre = (near * np.arange(N_TIMES)[:, None, None]).sum(axis=0)[rich] / near.sum(axis=0)[rich]
    found = mean.reshape(WHOLE.shape)[0][rich]
    assert np.corrcoef(found, centre)[0, 1] > 0.95


def test_ledger_states_that_scatter_has_no_tof(tmp_path):
    data = scan()
    write_sinogram(replace(data, timed=None), tmp_path / "scatter.hs")
    scatter = SCATTER.read(tmp_path / "scatter.hs", None)
    before = SCATTER.attached(data, scatter)
    step = BinScatter()
    assert "neighbouring counts" in step.summary(before, step.apply(before, on=ON))


def test_other_number_of_tof_bins_is_refused(tmp_path):
    data = scan()
    times = np.ones((3, WHOLE.n_bins), np.float32)
    tof = RING.settings.tof.model_copy(update={"n_bins": 3})
    layout = SinogramLayout.of(RingScanner(RING.settings.model_copy(update={"tof": tof})))
    write_sinogram(
        Sinogram(layout, times.sum(axis=0), timed=TimedCounts.of(times)), tmp_path / "scatter.hs"
    )
    scatter = SCATTER.read(tmp_path / "scatter.hs", None)
    with pytest.raises(GeometryError, match="3 TOF bins, but the scan has 9"):
        SCATTER.attached(data, scatter)


def test_fewer_counts_than_subsets_are_refused():
    data = scan()
    few = data.timed.where(np.arange(len(data.timed.counts)) < 3)
    with pytest.raises(DataError, match="choose fewer subsets"):
        ring_sinogram_pet.build(replace(data, timed=few), GRID, n_subsets=8, on=ON)


def test_image_wider_than_the_tof_range_gives_a_warning(tmp_path):
    tof = {"fwhm_ps": 300.0, "bin_ps": 100.0, "n_bins": 5}
    narrow = RingScanner(RingSettings.model_validate({**RING.settings.model_dump(), "tof": tof}))
    layout = SinogramLayout.of(narrow)
    times = [scan().prompts] * 5
    write_sinogram(
        Sinogram(layout, scan().prompts * 5, timed=TimedCounts.of(times)), tmp_path / "a.hs"
    )
    _, events = reconstructed(tmp_path / "a.hs")
    assert any("The TOF bins cover 75 mm" in e.text for e in events if isinstance(e, Warned))


def test_delayeds_are_subtracted_from_the_image(tmp_path):
    """A quarter of the prompts are randoms of the whole ring. The image shows only the trues."""
    trues, rng = scan(40_000), np.random.default_rng(6)
    rate = 10_000 / WHOLE.n_bins
    flat = [rng.poisson(rate / N_TIMES, WHOLE.n_bins).astype(np.float32) for _ in range(N_TIMES)]
    times = [trues.timed.dense(time, WHOLE.n_bins) + flat[time] for time in range(N_TIMES)]
    delayeds = rng.poisson(rate, WHOLE.n_bins).astype(np.float32)
    write_sinogram(Sinogram(WHOLE, delayeds), tmp_path / "delayeds.hs")
    write_sinogram(trues, tmp_path / "trues.hs")
    write_sinogram(Sinogram(WHOLE, sum(times), timed=TimedCounts.of(times)), tmp_path / "all.hs")
    content = {}
    for name, inputs, smooth in (
        ("trues", {}, True),
        ("all", {RANDOMS.key: tmp_path / "delayeds.hs"}, True),
        ("all", {RANDOMS.key: tmp_path / "delayeds.hs"}, False),
    ):
        values = {**COMMON, "corrections": {"randoms": {"smooth": smooth}}}
        protocol = RingSinogramProtocol.model_validate(values)
        events = run(Study(data=tmp_path / f"{name}.hs", inputs=inputs, protocol=protocol), on=ON)
        (image,) = (e.volume for e in events if isinstance(e, Finished))
        content[name, smooth] = float(image.values.sum())
    left, raw = (content["all", smooth] - content["trues", True] for smooth in (True, False))
    assert abs(left) < 0.05 * content["trues", True] and raw > 2 * abs(left)


@pytest.mark.parametrize("name", ["scatter.s", "scatter_2d.s"])
def test_scatter_without_a_header_can_have_the_tof_of_the_scan(name):
    layout = by_obliqueness(WHOLE)
    data = scan(layout=layout)
    is_2d = "2d" in name
    n = n_direct(layout) * layout.n_views * layout.n_tangential if is_2d else layout.n_bins
    times = np.random.default_rng(3).uniform(0, 1, (N_TIMES, n)).astype(np.float32)
    stored = BareBins(times.reshape(-1), name)
    placed = np.stack([spread(each, layout) if is_2d else each for each in times])
    for_timed_counts = stored.for_timed_counts(data.timed, layout, "Scatter")
    np.testing.assert_array_equal(for_timed_counts, placed[data.timed.times, data.timed.bins])
    np.testing.assert_allclose(
        stored.of(layout, "Scatter", is_factor=False), placed.sum(axis=0), rtol=1e-5
    )
    assert BareBins(times[0], name).for_timed_counts(data.timed, layout, "Scatter") is None
    if not is_2d:
        with pytest.raises(GeometryError, match="separate factors for 9 TOF bins"):
            stored.of(layout, "Normalisation", is_factor=True)


def test_negative_tof_counts_are_reported_and_dead_bins_removed():
    data = scan()
    few, dead = data.timed.bins[:2]
    times = np.stack([data.timed.dense(time, WHOLE.n_bins) for time in range(N_TIMES)])
    times[:, [few, dead]] = 0
    times[2:4, few], times[2:4, dead] = (5, -3), (4, -4)
    factors = np.ones(WHOLE.n_bins, np.float32)
    factors[dead] = 0
    timed = TimedCounts.of(times)
    mixed = replace(data, prompts=times.sum(axis=0), timed=timed, factors=factors)
    found = ring_sinogram_pet.usable(mixed)
    assert (found.n_negative, found.negative, found.n_dropped) == (2, -7, 4)
    assert found.data.prompts[few] == 5 and found.data.prompts[dead] == 0
    assert dead not in found.data.timed.bins and found.data.timed.counts.min() > 0
    np.testing.assert_array_equal(found.data.timed.sums(WHOLE.n_bins), found.data.prompts)
