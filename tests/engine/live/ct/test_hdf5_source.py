"""Tests of reading HDF5 files of a running acquisition."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.jobs.loader import CallsHere, Loader
from engine.live.core.frame import Arrival, Ended, Frame, FrameKind, Resumed, SourceLost
from engine.live.ct.sources import hdf5
from engine.live.ct.sources.hdf5 import Hdf5Source
from tests.engine.io.xray.xray_files import KEYS, N, counts, dxchange, nxtomo
from tests.engine.live.ct import hdf5_writer
from tests.engine.live.ct.live_scans import collected, frames_of, texts_of, until

N_FRAMES = 20


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all waiting times."""
    monkeypatch.setattr(hdf5, "END_QUIET_S", 0.2)
    monkeypatch.setattr(hdf5, "QUIET_S", 0.2)
    monkeypatch.setattr(hdf5, "POLL_S", 0.01)


def written(path: Path, how: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, hdf5_writer.__file__, str(path), how, str(N_FRAMES)]
    return subprocess.Popen(words)


def assert_written(arrivals: list[Arrival], left_out: int | None = None) -> None:
    """Check that all frames arrived once, with their values and angles."""
    projections = frames_of(arrivals)
    assert [each.index for each in projections] == [k for k in range(N_FRAMES) if k != left_out]
    for each in projections:
        assert (each.values == 1000 + each.index).all(), "a frame was read before it was written"
    angles = np.unwrap([each.angle_rad or 0.0 for each in projections])
    steps = np.pi / N_FRAMES * np.array([each.index for each in projections])
    np.testing.assert_allclose(angles - angles[0], steps, atol=1e-9)
    assert (frames_of(arrivals, FrameKind.DARK)[0].values == 100).all()
    assert (frames_of(arrivals, FrameKind.FLAT)[0].values == 5000).all()


@pytest.mark.parametrize("how", ["swmr", "append", "locked"])
def test_frames_arrive_as_soon_as_they_can_be_read(tmp_path: Path, how: str) -> None:
    path = tmp_path / "scan.h5"
    with written(path, how) as writer:
        source = Hdf5Source(path, loader=CallsHere())
        arrivals = collected(source)
    assert writer.returncode == 0
    assert_written(arrivals)
    assert isinstance(arrivals[-1], Ended)
    assert source.geometry is not None
    assert source.geometry.n_views == N_FRAMES
    if how == "locked":
        assert "the writer does not share the file" in texts_of(arrivals)


def test_unwritten_frames_are_waited_for_in_a_separate_process(tmp_path: Path) -> None:
    path = tmp_path / "scan.nxs"
    loader = Loader("fork")
    try:
        with written(path, "preallocated") as writer:
            arrivals = collected(Hdf5Source(path, loader=loader))
    finally:
        loader.close()
    assert writer.returncode == 0
    assert_written(arrivals, left_out=3)
    assert "projections 3 have only zeros. They are not used" in texts_of(arrivals)


def test_complete_files_give_all_their_frames(tmp_path: Path) -> None:
    data_exchange = collected(Hdf5Source(dxchange(tmp_path), loader=CallsHere()))
    np.testing.assert_array_equal([each.values for each in frames_of(data_exchange)], counts())
    assert len(frames_of(data_exchange, FrameKind.DARK)) == 2
    nexus = collected(Hdf5Source(nxtomo(tmp_path), loader=CallsHere()))
    np.testing.assert_array_equal([each.values for each in frames_of(nexus)], counts())
    assert len(frames_of(nexus, FrameKind.FLAT)) == int((KEYS == 1).sum())
    for arrivals in (data_exchange, nexus):
        assert [each.index for each in frames_of(arrivals)] == list(range(N))
        assert isinstance(arrivals[-1], Ended)


def test_unfinished_removed_or_replaced_file_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "scan.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    arrivals: list[Arrival] = []
    source = Hdf5Source(path, loader=CallsHere())
    for each in until(source, lambda a: is_last_of_third(a, arrivals)):
        arrivals.append(each)
        if "cannot be read yet" in texts_of([each]):
            path.unlink()
            dxchange(tmp_path, theta=None)
        elif isinstance(each, Frame) and each.index == N - 1:
            dxchange(tmp_path, data=counts(3), theta=None)  # same file
        elif isinstance(each, Resumed) and "fewer" in each.text:
            path.unlink()
        elif isinstance(each, SourceLost):
            dxchange(tmp_path, data=counts(5), theta=None)
    text = texts_of(arrivals)
    assert "scan.h5: cannot be read yet" in text
    assert "before. The scan starts again" in text
    assert "the file is missing. Waiting for it to return" in text
    assert "the file was replaced. The scan starts again" in text
    assert [each.index for each in frames_of(arrivals)][-5:] == [0, 1, 2, 3, 4]


def is_last_of_third(arrival: Arrival, before: list[Arrival]) -> bool:
    """Return True for the last projection of the final file."""
    is_last = isinstance(arrival, Frame) and arrival.index == 4
    return is_last and "file was replaced" in texts_of(before)


def test_external_links_are_not_followed(tmp_path: Path) -> None:
    path = dxchange(tmp_path)
    with h5py.File(tmp_path / "outer.h5", "w") as file:
        file["exchange/data"] = h5py.ExternalLink(path.name, "/exchange/data")
    outer = Hdf5Source(tmp_path / "outer.h5", loader=CallsHere())
    notices = list(until(outer, lambda each: "cannot be read yet" in texts_of([each])))
    assert "number of stacks: 0, number of keys: 0" in texts_of(notices)
    assert frames_of(notices) == []
