"""Tests of the conversion of a recording after a crash: newest data, planned location.

Cases, listed before the code was written:

- the program crashes before a pause, after a pause, and after further data;
- the target exists: it is not replaced; the disk has no hard links; the disk is nearly full;
- the recording is large; it has no geometry; it ends normally; its process is killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine.io import read_projections
from engine.live import conversion
from engine.live.conversion import Rescue
from engine.live.core.message import message_of, message_of_geometry
from engine.live.ct.playing import Played
from engine.live.recording.process import Appender
from engine.live.recording.recording_list import prepared_file, remove_recording
from engine.live.recording.records import RecordKind
from tests.engine.live.ct.running_scan import cone, counts_of

GEOMETRY = cone(12)
COUNTS = counts_of(GEOMETRY)


class Crashing:
    """The recording of a program that can crash at any time."""

    def __init__(self, folder: Path, *, has_geometry: bool = True) -> None:
        self.path, self.target = folder / "live-1.isorec", folder / "scan.h5"
        self.hidden = prepared_file(self.path, ".h5")
        self._appender = Appender(self.path, lambda _: None, 2**20)
        facts = f'{{"kind": "frames", "target": "{self.target}"}}'
        self._add(RecordKind.FACTS, 0, facts.encode(), b"")
        if has_geometry:
            self._add(RecordKind.ANNOUNCEMENT, 0, *message_of_geometry(GEOMETRY))
        self.rescue = Rescue(self.path)

    def _add(self, *record) -> None:
        self._appender.add(record)

    def close(self) -> None:
        self._appender.close()

    def receive(self, first: int, end: int) -> None:
        for k in range(first, end):
            self._add(RecordKind.DATA, 1, *message_of(Played(2, k, None, COUNTS[k])))


@pytest.fixture
def crashing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crashing]:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(conversion, "REST", 0)
    with closing(Crashing(tmp_path)) as found:
        yield found


@pytest.mark.parametrize("pauses", [(), (12,), (5,), (5, 12)])
def test_scan_has_all_data_before_the_crash(crashing: Crashing, pauses) -> None:
    first = 0
    for end in pauses:
        crashing.receive(first, end)
        crashing.rescue.prepare()
        assert crashing.hidden.exists() and not crashing.target.exists()
        first = end
    crashing.receive(first, 12)
    assert crashing.rescue.save() == {"saved": str(crashing.target)}
    crashing.rescue.discard()
    np.testing.assert_array_equal(read_projections(crashing.target).values, COUNTS)
    assert not crashing.hidden.exists()


def test_prepared_scan_needs_no_second_conversion(crashing: Crashing, monkeypatch) -> None:
    crashing.receive(0, 12)
    crashing.rescue.prepare()
    monkeypatch.setattr(conversion, "convert_recording", None)
    crashing.rescue.prepare()
    assert crashing.rescue.save() == {"saved": str(crashing.target)}


def test_existing_target_stays(crashing: Crashing) -> None:
    crashing.receive(0, 12)
    crashing.rescue.prepare()
    crashing.target.write_bytes(b"other")
    assert crashing.rescue.save() == {}
    assert crashing.target.read_bytes() == b"other"


def test_disk_without_links_is_used(crashing: Crashing, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links")

    crashing.receive(0, 12)
    crashing.rescue.prepare()
    monkeypatch.setattr(os, "link", refuse)
    assert crashing.rescue.save() == {"saved": str(crashing.target)}
    np.testing.assert_array_equal(read_projections(crashing.target).values, COUNTS)


@pytest.mark.parametrize("limit", [("MAX_PREPARED_BYTES", 10), ("SPARE_BYTES", 2**62)])
def test_large_scans_and_full_disks_are_not_prepared(
    crashing: Crashing, monkeypatch, limit
) -> None:
    crashing.receive(0, 6)
    crashing.rescue.prepare()
    monkeypatch.setattr(conversion, *limit)
    crashing.rescue.prepare()
    assert not crashing.hidden.exists()
    assert crashing.rescue.save() == {"saved": str(crashing.target)}


def test_scan_without_geometry_is_tried_once(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(conversion, "REST", 0)
    crashing, tried = Crashing(tmp_path, has_geometry=False), list[Path]()
    convert = conversion.convert_recording
    monkeypatch.setattr(
        conversion, "convert_recording", lambda *a: (tried.append(a[1]), convert(*a))
    )
    with closing(crashing):
        crashing.receive(0, 3)
        for _ in range(3):
            crashing.rescue.prepare()
    assert len(tried) == 1 and crashing.rescue.save() == {}


def test_discarded_recording_leaves_no_hidden_file(crashing: Crashing) -> None:
    crashing.receive(0, 3)
    crashing.rescue.prepare()
    # like after a killed process
    remove_recording(crashing.path)
    assert not crashing.hidden.exists() and not crashing.path.exists()
