"""Tests of the replay of a stored scan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from engine.core.errors import ResourceError
from engine.io import save_projections
from engine.jobs.loader import CallsHere, Loader
from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Arrival, Ended, Frame, FrameKind
from engine.live.ct.sources.replay import ReplaySource
from tests.engine.live.ct.live_scans import (
    assert_frames_of,
    collected,
    frames_of,
    scan,
    texts_of,
)


def test_frames_are_replayed_as_measured(tmp_path: Path) -> None:
    data = scan()
    save_projections(data, tmp_path / "scan.h5")
    source = ReplaySource(tmp_path / "scan.h5", loader=CallsHere())
    arrivals = collected(source)
    assert_frames_of(arrivals, data)
    frames = [each for each in arrivals if isinstance(each, Frame)]
    kinds = [each.kind for each in frames]
    assert kinds[:4] == [FrameKind.DARK, FrameKind.DARK, FrameKind.FLAT, FrameKind.FLAT]
    assert kinds[-1] == FrameKind.FLAT, "the last flat is not after the views"
    assert {each.values.dtype for each in frames} == {np.dtype(np.uint16)}
    assert source.geometry is not None
    assert source.geometry.n_views == data.n_views
    assert isinstance(arrivals[-1], Ended)
    assert "all 29 frames have been replayed" in texts_of(arrivals)


def test_transmissions_and_integrals_are_replayed_with_a_flat_of_one(tmp_path: Path) -> None:
    p = np.linspace(-0.1, 6, 24 * 60, dtype=np.float32).reshape(24, 6, 10)
    integrals = replace(scan(), kind="integrals", values=p, flats=None, darks=None, info={})
    transmission = replace(integrals, kind="transmission", values=np.exp(-p))
    for k, data in enumerate((integrals, transmission)):
        save_projections(data, tmp_path / f"{k}.h5")
        arrivals = collected(ReplaySource(tmp_path / f"{k}.h5", loader=CallsHere()))
        (flat,) = frames_of(arrivals, FrameKind.FLAT)
        assert (flat.values == 1).all()
        actual = np.stack([-np.log(each.values) for each in frames_of(arrivals)])
        np.testing.assert_allclose(actual, p, atol=1e-5)


def test_replay_rate_is_exact_and_a_slow_consumer_loses_the_oldest_frames(tmp_path: Path) -> None:
    save_projections(scan(), tmp_path / "scan.h5")
    rate, started_s = 200.0, monotonic()
    paced = collected(ReplaySource(tmp_path / "scan.h5", rate=rate, loader=CallsHere()))
    frames = [each for each in paced if isinstance(each, Frame)]
    early = [k for k, each in enumerate(frames) if each.arrived_s < started_s + k / rate]
    assert early == [], "a frame arrived before its time"
    unpaced = ReplaySource(tmp_path / "scan.h5", loader=CallsHere())
    with Arrivals(unpaced, max_projections=2) as arrivals:
        assert len(frames_of(list(arrivals))) == 24, (
            "the unpaced replay did not wait for its consumer"
        )


def test_faults_of_the_file_are_reported_from_a_separate_process(tmp_path: Path) -> None:
    loader = Loader("fork")
    try:
        with pytest.raises(ResourceError, match=r"this file does not exist"):
            collected(ReplaySource(tmp_path / "none.h5", loader=loader))
        save_projections(scan(), tmp_path / "scan.h5")
        arrivals: list[Arrival] = collected(ReplaySource(tmp_path / "scan.h5", loader=loader))
        assert loader.pid is not None
        assert len(frames_of(arrivals)) == 24
    finally:
        loader.close()
