"""Tests that time and memory grow only linearly with thousands of darks and flats.

Cases: 20,000 flats for a recording; 20,000 flats for the preparation, with a state after each
batch; 20,000 flats that replace a set; a mean in parts compared with the mean at once, for flats of
one time, of 5 times, and with NaN.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.preprocess import defects
from engine.corrections.preprocess.flat_field import FlatField
from engine.corrections.preprocess.logarithm import Logarithm
from engine.data.projections import Projections
from engine.live.core.frame import Frame, FrameKind
from engine.live.ct.preparing import Preparation
from engine.live.ct.references import References
from tests.engine.live.ct.live_scans import COLUMNS, ROWS, scan

N = 20_000
VALUES = np.full((ROWS, COLUMNS), 60_000, np.float32)


def flat(index: int) -> Frame:
    return Frame(FrameKind.FLAT, index, None, VALUES, 0.0)


def test_each_reference_of_a_recording_takes_the_same_time() -> None:
    retained, started = References(), time.process_time()
    for k in range(N):
        retained.keep(flat(k), 0)
        assert retained.n_bytes == (k + 1) * VALUES.nbytes
    assert time.process_time() - started < 2
    retained.keep(flat(0), 0)
    assert retained.n_bytes == VALUES.nbytes, "the new set did not replace the old one"
    retained.restart()
    assert retained.n_bytes == VALUES.nbytes


def test_flats_are_evaluated_only_when_a_view_needs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[int] = []
    mean = defects.mean_field
    monkeypatch.setattr(
        defects, "mean_field", lambda fields: (evaluated.append(len(fields)), mean(fields))[1]
    )
    data = scan()
    steps = (FlatField(), Logarithm())
    prepared = Preparation(data.geometry, steps, on=cpu(1))
    assert prepared.last_known_fault is not None
    prepared.take(flat(0))
    assert prepared.last_known_fault is None
    n_before = len(evaluated)
    for k in range(1, N):
        prepared.take(flat(k))
        if k % 32 == 0:
            assert prepared.last_known_fault is None
    assert len(evaluated) == n_before
    prepared.integrals(Frame(FrameKind.PROJECTION, 0, None, data.values[0], 0.0))
    assert len(evaluated) > n_before


@pytest.mark.parametrize("n_times", [1, 5])
def test_mean_over_rows_in_parts_equals_the_mean_at_once(
    n_times: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    flats = rng.normal(60_000, 200, (40, 30, 20)).astype(np.float32)
    flats[3, 4, 5] = np.nan
    darks = rng.normal(100, 5, (9, 30, 20)).astype(np.float32)
    views = np.sort(np.arange(40) % n_times).tolist()
    projections = scan(24, 30, 20)
    measured = Projections(
        projections.values, projections.geometry, kind="counts", flats=flats, darks=darks,
        info={"flat_views": views},
    )  # fmt: skip
    at_once = FlatField().apply(measured, on=cpu(1))
    monkeypatch.setattr(defects, "PART_BYTES", 1)
    in_parts = FlatField().apply(measured, on=cpu(1))
    np.testing.assert_array_equal(in_parts.values, at_once.values)
    np.testing.assert_array_equal(in_parts.bad_pixels, at_once.bad_pixels)


def test_mean_of_many_flats_does_not_copy_them(monkeypatch: pytest.MonkeyPatch) -> None:
    flats = np.full((2_000, 40, 40), 60_000, np.float32)
    monkeypatch.setattr(defects, "PART_BYTES", 1 << 20)
    tracemalloc.start()
    try:
        assert (defects.mean_field(flats) == 60_000).all()
        assert tracemalloc.get_traced_memory()[1] < flats.nbytes / 4
    finally:
        tracemalloc.stop()
