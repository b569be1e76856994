"""Tests of MAP of list mode: frames, gates, events in files, threads, very few events."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.core.backend import cpu
from engine.core.errors import DataError, SettingsError
from engine.data.timing.triggers import Triggers
from engine.protocols.run_context.context import Resume
from tests.engine.modalities.map_scans import (
    bits,
    events_of,
    last,
    previews,
    rows,
    study,
    warnings,
)
from tests.engine.modalities.ring_sinogram_pet.timed_decays import timed_events

KIND = "events"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scans")


def of_scan(
    folder: Path, n: int, *settings: str, subsets: int | None = None, **values: object
) -> engine.Study:
    """Return the study of the first events of a scan."""
    scan = timed_events(6_000)
    scan = replace(scan.select(np.arange(n)), **values)
    path = folder / f"{n}.h5"
    engine.save(scan, path)
    found = study(folder, KIND, *settings, subsets=subsets)
    return found.model_copy(update={"data": path})


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_integer_sums_give_the_same_bits_for_any_number_of_threads(
    folder: Path, *, exact: bool
) -> None:
    reproducible = study(folder, KIND, f"reproducible={str(exact).lower()}")
    one, two = (events_of(reproducible, on=cpu(n)) for n in (1, 2))
    if exact:
        assert bits(one) == bits(two)
    largest = last(one).volume.values.max()
    np.testing.assert_allclose(last(one).volume.values, last(two).volume.values, atol=largest / 1e3)


@pytest.mark.slow
def test_events_in_files_give_the_same_bits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study(folder, KIND)
    expected = bits(events_of(whole))
    monkeypatch.setattr("engine.data.storage.columns.ROWS", 701)
    monkeypatch.setattr("engine.modalities.listmode_pet.requirements.BYTES_PER_EVENT", 1 << 30)
    found = events_of(whole)
    assert any("do not fit in memory" in text for text in warnings(found))
    assert bits(found) == expected


@pytest.mark.parametrize("n", [1, 5, 40])
def test_very_few_events_give_an_image_that_explains_them(folder: Path, n: int) -> None:
    # A stronger prior lowers the total.
    weak = "algorithm.strength=0.005"
    found = events_of(of_scan(folder, n, "algorithm.iterations=3", weak))
    osem = events_of(of_scan(folder, n, "algorithm.kind=mlem", "algorithm.iterations=1"))
    totals = [each.volume.values.sum() / last(osem).volume.values.sum() for each in previews(found)]
    assert totals == pytest.approx([1] * 3, rel=0.2)
    assert np.isfinite(last(found).volume.values).all() and last(found).volume.values.min() >= 0


def test_prior_that_lowers_the_total_of_few_counts_is_reported(folder: Path) -> None:
    found = events_of(of_scan(folder, 40))
    assert any("The prior lowers the total of the image by" in text for text in warnings(found))


def test_more_subsets_than_events_are_refused_with_the_remedy(folder: Path) -> None:
    with pytest.raises(DataError, match=r"for 20 subsets.*algorithm\.subsets to at most 13"):
        events_of(of_scan(folder, 13, subsets=20))


def timed(folder: Path, n: int, times_ms: np.ndarray, *settings: str, **values: object):
    return of_scan(
        folder, n, *settings, time_ms=times_ms.astype(np.uint32), duration_s=4.0, **values
    )


@pytest.mark.slow
def test_each_frame_converges_separately_and_an_empty_one_is_empty(folder: Path) -> None:
    n = 4_000
    times = np.sort(np.random.default_rng(3).uniform(0, 1000, n))
    # The counts of all frames define their common strength; a single frame would have another one.
    own = "algorithm.strength=0.03"
    times[-7:] = 1500  # seven events in the second frame, none in the third
    found = events_of(timed(folder, n, times, "frames=3x1", own))
    frames = [each.volume.values for each in last(found).frames]
    assert [bool(each.any()) for each in frames] == [True, True, False]
    assert all(np.isfinite(each).all() for each in frames)
    assert frames[1].sum() < 0.01 * frames[0].sum()
    assert sum("its image is empty" in text for text in warnings(found)) == 1
    shown = previews(found)
    assert [each.frame.start_ms for each in shown if each.ends_iteration] == [0, 1000, 2000]
    assert max(each.update for each in shown) == 3 * 20
    single = events_of(of_scan(folder, n - 7, own, duration_s=1.0))
    assert frames[0].tobytes() == bits(single)


@pytest.mark.slow
def test_resumed_run_in_frames_gives_the_same_bits(folder: Path) -> None:
    n = 2_000
    times = np.sort(np.random.default_rng(3).uniform(0, 2000, n))
    whole_study = timed(folder, n, times, "frames=2x1")
    whole = events_of(whole_study)
    own = [each for each in previews(whole) if each.iteration == 2 and not each.ends_iteration]
    first = last(whole).frames[:1]
    for at in (own[0], own[-1]):
        start = Resume(at.volume.values, at.update, at.history, frames=first)
        assert bits(events_of(whole_study, resume=start)) == bits(whole)


@pytest.mark.slow
def test_gates_are_separate_images(folder: Path) -> None:
    n = 4_000
    times = np.sort(np.random.default_rng(3).uniform(0, 4000, n))
    beats = Triggers.at("ecg", np.arange(0, 4001, 200))
    found = events_of(timed(folder, n, times, "frames=gates=2", triggers=(beats,)))
    assert [each.frame.gate.number for each in last(found).frames] == [1, 2]
    assert all(each.volume.values.any() for each in last(found).frames)
    assert "gates" in rows(found)


def test_cluster_is_refused_with_one_sentence(folder: Path) -> None:
    class Divide:
        n_parts = 2
        updates = None

    with pytest.raises(SettingsError, match=r"MAP cannot run on a cluster; choose OSEM, or") as e:
        events_of(study(folder, KIND), divide=Divide())
    assert str(e.value).count(".") == 1
