"""A few kills and cuts of recordings; all of them: `python -m tests.farm.live.recordings`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engine.core.paths import HOME_VARIABLE
from tests.farm.live import long_stream
from tests.farm.live.recordings import TMPFS_BYTES, cuts, full_disk, kills, small_disk

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.mark.slow
def test_killed_scans_are_on_the_disk_and_offered(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    tally = kills(4, 7, tmp_path, lambda _: None)
    assert not tally.faults and tally.counts.total() == 4
    recordings = list(tmp_path.glob("scan */*.isorec"))
    assert not cuts(recordings, 40, 7, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root mounts a small disk"
)
def test_full_disk_loses_no_confirmed_data(monkeypatch) -> None:
    with small_disk(TMPFS_BYTES) as folder:
        monkeypatch.setenv(HOME_VARIABLE, str(folder / "home"))
        assert not full_disk(folder, lambda _: None)


@pytest.mark.slow
def test_stream_of_many_scans_is_recorded_completely(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(long_stream, "N_VIEWS", 200)
    memory, faults = long_stream.follow(1000, tmp_path, lambda _: None)
    assert not faults and len(memory.mib) == 101
