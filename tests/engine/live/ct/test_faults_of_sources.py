"""Tests of faults of senders, folders and files: one sentence, and later frames arrive."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer

import h5py
import numpy as np
import pytest
import tifffile

from engine.core import backend
from engine.jobs.loader import CallsHere
from engine.live.core import listing
from engine.live.core.frame import Arrival, Resumed, ShapeChanged, SourceLost
from engine.live.ct.following import LiveChoices, LiveWork
from engine.live.ct.sources import folder as folder_module
from engine.live.ct.sources import folder_scan, hdf5
from engine.live.ct.sources.folder import FolderSource
from engine.live.ct.sources.hdf5 import Hdf5Source
from engine.live.ct.sources.stream import StreamSource
from tests.engine.io.xray.xray_files import N, counts, dxchange, flexray, nxtomo, write_tiffs
from tests.engine.live.ct.cut_line import CutLine
from tests.engine.live.ct.live_scans import frames_of, free_address, texts_of, until
from tests.engine.live.ct.test_stream import is_projection, sender


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all waiting times."""
    monkeypatch.setattr(folder_module, "MISSING_POLL_S", 0.02)
    monkeypatch.setattr(folder_module, "END_QUIET_S", 0.2)
    monkeypatch.setattr(folder_scan, "AGAIN_S", 0.02)
    monkeypatch.setattr(listing, "MIN_LIST_S", 0.02)
    monkeypatch.setattr(hdf5, "END_QUIET_S", 0.2)
    monkeypatch.setattr(hdf5, "QUIET_S", 0.2)
    monkeypatch.setattr(hdf5, "POLL_S", 0.01)


@pytest.mark.parametrize("cut_after", [700, 761])
def test_sender_killed_within_a_message_leaves_no_partial_frame(cut_after: int) -> None:
    address = free_address()
    line, actual, second = CutLine(address, cut_after), list[Arrival](), None
    with sender(address, 0, 5) as first:
        try:
            for arrival in until(StreamSource(line.address), lambda a: is_second(a, actual)):
                actual.append(arrival)
                if isinstance(arrival, SourceLost) and second is None:
                    first.kill()
                    first.wait()
                    second = sender(address, 0, 5)
                    second.__enter__()
                    line.restore()
        finally:
            line.close()
            if second is not None:
                second.__exit__(None, None, None)
    assert line.n_cut == 1
    numbers = [each.index for each in frames_of(actual)]
    assert numbers[-5:] == [0, 1, 2, 3, 4]
    assert 0 < len(numbers) < 10, "the first sender was not cut during its frames"
    assert all((each.values == 1 + each.index).all() for each in frames_of(actual))
    text = texts_of(actual)
    assert "the sender has disconnected. Frames continue when it returns" in text
    assert "refused" not in text


def is_second(arrival: Arrival, got: list[Arrival]) -> bool:
    """Return True for the last projection of the second sender."""
    has_resumed = any(isinstance(each, Resumed) for each in got)
    return has_resumed and bool(is_projection(4)(arrival))


def test_file_deleted_while_reading_is_reported_and_the_next_ones_arrive(tmp_path: Path) -> None:
    class Deleting(CallsHere):
        """A drive that deletes a file between listing and reading."""

        def call(self, function, *arguments, **more):  # type: ignore[no-untyped-def]
            if arguments[0]:
                (tmp_path / "scan_000002.tif").unlink(missing_ok=True)
            return super().call(function, *arguments, **more)

    write_tiffs(tmp_path, "scan_", counts(6))
    source = FolderSource(tmp_path, loader=Deleting())
    actual: list[Arrival] = []
    for each in source.frames(stop := Event()):
        actual.append(each)
        if "scan_000002.tif was removed before it was read" in texts_of([each]):
            stop.set()
        assert len(actual) < 30
    assert [each.index for each in frames_of(actual)] == [0, 1, 3, 4, 5]


@contextmanager
def without_permission(folder: Path) -> Iterator[None]:
    """Make a folder that this process cannot list, even as root."""
    is_root = os.geteuid() == 0
    folder.chmod(0o700 if is_root else 0)
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_folder_without_permission_is_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    folder.mkdir()
    write_tiffs(folder, "scan_", counts(2))
    actual, denied = list[Arrival](), None
    try:
        for each in until(FolderSource(folder), is_projection(3)):
            actual.append(each)
            if is_projection(1)(each):
                denied = without_permission(folder)
                denied.__enter__()
            elif isinstance(each, SourceLost) and denied is not None:
                denied.__exit__(None, None, None)
                denied = None
                write_tiffs(folder, "scan_", counts(4)[2:], first=2)
    finally:
        if denied is not None:
            denied.__exit__(None, None, None)
    assert "the folder cannot be listed" in texts_of(actual)
    assert "the folder is available again" in texts_of(actual)
    assert [each.index for each in frames_of(actual)] == [0, 1, 2, 3]


def test_file_in_place_of_the_folder_is_reported_and_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    folder.write_text("not a folder")
    actual: list[Arrival] = []
    for each in until(FolderSource(folder), is_projection(1)):
        actual.append(each)
        if isinstance(each, SourceLost):
            folder.unlink()
            folder.mkdir()
            write_tiffs(folder, "scan_", counts(2))
    assert "the folder cannot be listed" in texts_of(actual)
    assert [each.index for each in frames_of(actual)] == [0, 1]


def test_images_of_another_bit_depth_are_not_used(tmp_path: Path) -> None:
    images = counts(6)
    write_tiffs(tmp_path, "scan_", images)
    tifffile.imwrite(tmp_path / "scan_000003.tif", (images[3] // 16).astype(np.uint8))
    actual = list(until(FolderSource(tmp_path), is_projection(5)))
    assert (
        "projection 3 has the type uint8, but earlier projections have uint16. It is not used"
        in texts_of(actual)
    )
    assert [each.index for each in frames_of(actual)] == [0, 1, 2, 4, 5]
    assert not [each for each in actual if isinstance(each, ShapeChanged)]


def test_settings_of_the_next_scan_are_used_with_its_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "END_QUIET_S", 5.0)
    flexray(tmp_path)
    source, actual, later = FolderSource(tmp_path), list[Arrival](), list[Timer]()
    work = LiveWork(source, LiveChoices(), on=backend.cpu(1), report=lambda event: None)
    for each in until(source, lambda a: is_second_settings(a, actual)):
        actual.append(each)
        work.handle([each])
        if is_projection(11)(each) and not later:
            before = work.geometry
            for path in tmp_path.iterdir():
                path.unlink()
            later.append(Timer(0.2, flexray, (tmp_path,), {"last angle": "165.0"}))
            later[0].start()
    later[0].join()
    work.handle([])
    assert work.geometry is source.geometry
    assert before is not None and source.geometry is not None
    assert not np.allclose(before.angles_rad, source.geometry.angles_rad)


def is_second_settings(arrival: Arrival, got: list[Arrival]) -> bool:
    """Return True for settings that are read after the scan started again."""
    is_new_scan = any(isinstance(each, Resumed) and each.is_new_scan for each in got)
    return is_new_scan and "plans 12 projections" in texts_of([arrival])


def test_truncated_hdf5_file_is_reported_and_used_once_complete(tmp_path: Path) -> None:
    path = dxchange(tmp_path, theta=None)
    content = path.read_bytes()
    actual: list[Arrival] = []
    for each in until(Hdf5Source(path, loader=CallsHere()), is_projection(N)):
        actual.append(each)
        if is_projection(N - 1)(each):
            path.write_bytes(content[: len(content) // 3])
        elif "cannot be read yet" in texts_of([each]):
            path.write_bytes(content)
            with h5py.File(path, "r+") as file:
                more = np.concatenate([counts(), counts(1) + 5])
                del file["exchange/data"]
                file["exchange/data"] = more
    assert "cannot be read yet" in texts_of(actual)
    assert [each.index for each in frames_of(actual)] == list(range(N + 1))


def test_hdf5_file_of_another_layout_starts_a_new_scan(tmp_path: Path) -> None:
    path = dxchange(tmp_path, theta=None)
    actual: list[Arrival] = []
    for each in until(Hdf5Source(path, loader=CallsHere()), lambda a: is_from_nexus(a, actual)):
        actual.append(each)
        if is_projection(N - 1)(each) and not any(isinstance(e, Resumed) for e in actual):
            other = nxtomo(tmp_path)
            other.replace(path)
    assert "the file was replaced. The scan starts again" in texts_of(actual)
    assert [each.index for each in frames_of(actual)] == list(range(N)) * 2


def is_from_nexus(arrival: Arrival, got: list[Arrival]) -> bool:
    """Return True for the last projection of the second file."""
    return bool(is_projection(N - 1)(arrival)) and any(isinstance(e, Resumed) for e in got)
