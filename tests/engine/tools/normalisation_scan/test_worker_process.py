"""Tests of a normalisation in a separate process: progress, pause, stop, crash."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import psutil
import pytest

from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_components, write_listmode
from engine.tools.normalisation_scan import (
    Counted,
    CylinderSource,
    MeasuredNormalisation,
    NormalisationRequest,
    Paused,
    ReadingScan,
    Refused,
    Stepped,
    Stopped,
    StopRequest,
    crystal_map,
    measure_in_process,
    over_distance,
    over_ring_difference,
)
from engine.tools.normalisation_scan.convergence import MAX_STEPS, SMALL
from engine.tools.normalisation_scan.curves import FactorCurve
from tests.processes import working_for

RING = RingScanner(RingSettings(
    name="Tiny", n_rings=3, n_crystals_per_ring=24, radius_mm=80, ring_pitch_mm=5,
    max_ring_difference=2, n_tangential=16, fov_mm=(60, 15), block_places=4,
))  # fmt: skip
SOURCE = CylinderSource(60.0, mu_per_mm=0.0096)


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("normalise") / "scan.h5"
    crystals = RING.lors(np.random.default_rng(2).integers(0, RING.n_lors, 20_000))
    crystals = crystals[(crystals != 40).all(axis=1)]  # this crystal has no events
    write_listmode(ListMode(RING, crystals), path)
    return path


def test_progress_is_reported_up_to_the_file(scan: Path, tmp_path: Path) -> None:
    events = [*measure_in_process(NormalisationRequest((scan, scan), SOURCE, threads=1))]
    counted = [each for each in events if isinstance(each, Counted)]
    steps = [each for each in events if isinstance(each, Stepped)]
    assert [e.number for e in events if isinstance(e, ReadingScan)] == [1, 2]
    assert counted[1].counts == 2 * counted[0].counts
    assert counted[0].crystal_error / counted[1].crystal_error == pytest.approx(np.sqrt(2))
    assert [each.done for each in steps] == [*range(1, len(steps) + 1)]
    assert steps[0].change > SMALL >= steps[-1].change and len(steps) < MAX_STEPS
    finished = events[-1]
    assert isinstance(finished, MeasuredNormalisation)
    assert "Crystals without counts: 1 of 72" in finished.notes[0]
    assert any("no delayed coincidences" in note for note in finished.notes)
    finished.write(tmp_path / "norm.h5")
    assert np.array_equal(
        read_components(tmp_path / "norm.h5", RING).crystals, finished.found.components.crystals
    )


def test_curves_are_weighted_means_of_the_classes(scan: Path) -> None:
    finished = [*measure_in_process(NormalisationRequest((scan,), SOURCE, threads=1))][-1]
    assert isinstance(finished, MeasuredNormalisation)
    table, errors = finished.found.components.geometry, finished.found.errors.geometry
    pixels = crystal_map(finished.found, RING)
    assert pixels.shape == (3, 24) and np.isnan(pixels[1, 16]) and np.isfinite(pixels).sum() == 71
    for axis, curve in (
        (0, over_ring_difference(finished.found)),
        (1, over_distance(finished.found)),
    ):
        assert isinstance(curve, FactorCurve)
        for place, factor, error in zip(curve.places, curve.factors, curve.errors, strict=True):
            row = np.take(table, place, axis)
            sigma = row * np.take(errors, place, axis)
            events = np.isfinite(sigma)
            expected = np.average(row[events], weights=sigma[events] ** -2.0)
            assert factor == pytest.approx(expected, rel=1e-6)
            assert error == pytest.approx((sigma[events] ** -2.0).sum() ** -0.5, rel=1e-6)


def test_process_pauses_resumes_and_stops(scan: Path) -> None:
    before = set(working_for())
    requests, events = [StopRequest.PAUSE], list[object]()
    request = NormalisationRequest((scan, scan), SOURCE, threads=1)
    for event in measure_in_process(request, lambda: requests[-1]):
        events.append(event)
        if isinstance(event, Paused):
            requests.append(StopRequest.CONTINUE if event.is_paused else StopRequest.END)
    assert [e.is_paused for e in events if isinstance(e, Paused)] == [True, False]
    assert isinstance(events[-1], Stopped)
    # processes of other tests may still run
    _, alive = psutil.wait_procs(set(working_for()) - before, timeout=20)
    assert alive == []


def test_refusal_and_crash_give_one_sentence(scan: Path, tmp_path: Path) -> None:
    narrow = NormalisationRequest((scan,), CylinderSource(2.0), threads=1)
    refused = [*measure_in_process(narrow)][-1]
    assert isinstance(refused, Refused) and "measure longer" in refused.text
    events = measure_in_process(
        NormalisationRequest((scan,), SOURCE, threads=1), lambda: StopRequest.PAUSE
    )
    before = set(working_for())
    while not isinstance(next(events), Paused):
        pass
    for process in set(working_for()) - before:
        os.kill(process.pid, 9)
    last = [*events][-1]
    assert isinstance(last, Refused) and "killed by signal 9" in last.text
