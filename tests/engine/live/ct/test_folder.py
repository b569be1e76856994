"""Tests of reading a folder during the acquisition, for any order and speed of the writer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import monotonic

import numpy as np
import pytest
import tifffile

from engine.io import read_projections
from engine.jobs.loader import CallsHere
from engine.live.core import listing
from engine.live.core.frame import (
    Arrival,
    Ended,
    Frame,
    FrameKind,
    Resumed,
    ShapeChanged,
    SourceLost,
    Waiting,
)
from engine.live.ct import missing
from engine.live.ct.recording import Recording
from engine.live.ct.sources import folder as folder_module
from engine.live.ct.sources import folder_scan
from engine.live.ct.sources.arriving_files import ArrivingFiles
from engine.live.ct.sources.folder import FolderSource
from engine.live.ct.sources.folder_scan import FolderScan
from engine.live.ct.sources.image_kinds import kind_of
from engine.live.ct.views import starts_new_scan
from tests.engine.io.xray.xray_files import bruker, counts, flexray, nikon, write_tiffs
from tests.engine.live.ct import folder_writer
from tests.engine.live.ct.live_scans import collected, frames_of, texts_of, until

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all waiting times."""
    monkeypatch.setattr(folder_module, "END_QUIET_S", 0.2)
    monkeypatch.setattr(folder_module, "MISSING_POLL_S", 0.02)
    monkeypatch.setattr(folder_scan, "AGAIN_S", 0.02)
    monkeypatch.setattr(listing, "MIN_LIST_S", 0.02)


def last_projection(index: int) -> Callable[[Arrival], bool]:
    return lambda each: (
        isinstance(each, Frame) and each.kind == FrameKind.PROJECTION and each.index == index
    )


def test_slow_writer_in_random_order_is_read_correctly(tmp_path: Path) -> None:
    n = 30
    words = [sys.executable, folder_writer.__file__, str(tmp_path), str(n)]
    with subprocess.Popen(words) as writer:
        source = FolderSource(tmp_path)
        arrivals = collected(source)
    assert writer.returncode == 0
    assert isinstance(arrivals[0], Waiting)
    assert isinstance(arrivals[-1], Ended)
    projections = frames_of(arrivals)
    assert sorted(each.index for each in projections) == list(range(n))
    for each in projections:
        assert (each.values == 1000 + each.index).all(), (
            "a projection was read before it was written"
        )
        assert each.angle_rad == pytest.approx(source.geometry.angles_rad[each.index])
    order = [each.index for each in projections]
    assert order.index(folder_writer.LATE) > order.index(n - 1), (
        "the late projection delayed the others"
    )
    (dark,), (flat,) = (frames_of(arrivals, kind) for kind in (FrameKind.DARK, FrameKind.FLAT))
    assert (dark.values == 100).all()
    assert (flat.values == 5000).all()
    assert "scan settings.txt plans 30 projections (FleX-ray scan)" in texts_of(arrivals)


@pytest.mark.parametrize("write", [flexray, nikon, bruker])
def test_geometry_from_settings_equals_that_of_the_complete_scan(
    tmp_path: Path, write: Write
) -> None:
    write(tmp_path)
    stored = read_projections(tmp_path)
    source = FolderSource(tmp_path)
    arrivals = collected(source, 3.0)
    assert source.geometry is not None
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        planned = getattr(source.geometry, name)[: stored.n_views]
        np.testing.assert_allclose(planned, getattr(stored.geometry, name), atol=1e-9)
    flats = np.mean([each.values for each in frames_of(arrivals, FrameKind.FLAT)], axis=0)
    for each in frames_of(arrivals):
        measured = each.values / flats if stored.kind == "transmission" else each.values
        np.testing.assert_allclose(measured, stored.values[each.index], rtol=1e-6)


@pytest.mark.parametrize(
    ("last", "stated", "n_views"),
    [("360.0", "12", 12), ("360.0", "13", 12), ("330.0", "12", 12), ("348.7", "31", 31)],
)
def test_settings_with_or_without_the_repeated_view_give_the_same_geometry(
    tmp_path: Path, last: str, stated: str, n_views: int
) -> None:
    flexray(tmp_path, **{"last angle": last, "# projections": stated})
    source = FolderSource(tmp_path)
    list(until(source, last_projection(3)))
    assert source.geometry is not None
    assert source.geometry.n_views == n_views


def test_folder_without_settings_is_read_by_file_names(tmp_path: Path) -> None:
    for prefix in ("dark_", "my_flat-", "bone_"):
        write_tiffs(tmp_path, prefix, counts(3), first=1)
    arrivals = list(until(FolderSource(tmp_path), last_projection(2)))
    assert [each.index for each in frames_of(arrivals)] == [0, 1, 2]
    assert {each.angle_rad for each in frames_of(arrivals)} == {None}
    names = {"di": 0, "io": 1, "flat_field": 1, "Dark": 0, "studio": 2, "scan_": 2}
    assert {name: kind_of(name, None) for name in names} == names


def stepped(folder: Path) -> tuple[Iterator[Arrival], Event]:
    """Return an iterator of the arrivals of a folder, and the event that stops it."""
    stop = Event()
    return FolderSource(folder).frames(stop), stop


def test_faults_of_files_are_reported_and_the_next_images_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_scan, "FAULT_S", 0.1)
    monkeypatch.setattr(missing, "LATE_S", 0.1)
    images = counts(12).astype(np.float32)
    images[3, 0, 0] = np.nan
    write_tiffs(tmp_path, "scan_", images)
    half = (tmp_path / "scan_000001.tif").read_bytes()
    (tmp_path / "scan_000001.tif").write_bytes(half[: len(half) // 2])
    tifffile.imwrite(tmp_path / "scan_000005.tif", images[5][:2])
    tifffile.imwrite(tmp_path / "scan_000006.tif", images[6:8], photometric="minisblack")
    (tmp_path / "scan_000008.tif").unlink()
    messages = [
        "000001.tif: damaged or truncated",
        "projection 5 has 2 x 5 pixels",
        "000006.tif has 2 pages",
        "1 of 15 values of projection 3 are not finite",
        "projection 8 is missing",
    ]
    arrivals: list[Arrival] = []
    frames, stop = stepped(tmp_path)
    for each in frames:
        arrivals.append(each)
        if all(text in texts_of(arrivals) for text in messages):
            (tmp_path / "scan_000001.tif").write_bytes(half)
        if last_projection(1)(each):
            break
        assert len(arrivals) < 100
    assert sorted(each.index for each in frames_of(arrivals)) == [0, 1, 2, 4, 7, 9, 10, 11]
    assert frames_of(arrivals)[-1].index == 1, (
        "the incomplete image was not used after its completion"
    )
    stop.set()


def test_dark_detector_rows_delay_only_the_first_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_scan, "ZEROS_S", 0.1)
    images = counts(5)
    images[:, -1] = 0
    write_tiffs(tmp_path, "scan_", images)
    arrivals = list(until(FolderSource(tmp_path), last_projection(4)))
    np.testing.assert_array_equal([each.values for each in frames_of(arrivals)], images)


def test_images_removed_and_written_again_start_a_new_scan(tmp_path: Path) -> None:
    write_tiffs(tmp_path, "scan_", counts(3))
    (tmp_path / "scan_000003.tif").write_bytes(b"II")
    arrivals: list[Arrival] = []
    for each in until(FolderSource(tmp_path), is_second_time(2, arrivals)):
        arrivals.append(each)
        if last_projection(2)(each) and len(frames_of(arrivals)) == 3:
            for path in tmp_path.iterdir():
                path.unlink()
        elif "scan_000003.tif was removed before it was read" in texts_of([each]):
            write_tiffs(tmp_path, "scan_", counts(3) + 7)
    assert_new_scan(arrivals)


def test_replaced_folder_of_the_same_name_starts_a_new_scan(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    folder.mkdir()
    write_tiffs(folder, "scan_", counts(3))
    arrivals: list[Arrival] = []
    for each in until(FolderSource(folder), is_second_time(2, arrivals)):
        arrivals.append(each)
        if last_projection(2)(each) and len(frames_of(arrivals)) == 3:
            folder.rename(tmp_path / "old")
        elif isinstance(each, SourceLost):
            folder.mkdir()
            write_tiffs(folder, "scan_", counts(3) + 7)
    assert_new_scan(arrivals)


def is_second_time(index: int, arrivals: list[Arrival]) -> Callable[[Arrival], bool]:
    """Return a test for a projection of this number after the scan started again."""
    return lambda each: (
        last_projection(index)(each)
        and any(isinstance(one, Resumed) and one.is_new_scan for one in arrivals)
    )


def assert_new_scan(arrivals: list[Arrival]) -> None:
    assert sum(isinstance(each, Resumed) and each.is_new_scan for each in arrivals) == 1
    assert [each.index for each in frames_of(arrivals)] == [0, 1, 2] * 2
    assert [int(each.values[0, 0]) for each in frames_of(arrivals)][3:] == [1007, 1022, 1037]


def test_removed_folder_is_waited_for(tmp_path: Path) -> None:
    folder, away = tmp_path / "scan", tmp_path / "away"
    folder.mkdir()
    write_tiffs(folder, "scan_", counts(2))
    arrivals: list[Arrival] = []
    for each in until(FolderSource(folder), last_projection(3)):
        arrivals.append(each)
        if last_projection(1)(each):
            folder.rename(away)
        elif isinstance(each, SourceLost):
            write_tiffs(away, "scan_", counts(4))
            away.rename(folder)
    assert [each.index for each in frames_of(arrivals)] == [0, 1, 2, 3]
    text = texts_of(arrivals)
    assert "the folder cannot be listed" in text
    assert "the folder is available again" in text
    assert not any(isinstance(each, Resumed) and each.is_new_scan for each in arrivals)


def test_newly_binned_detector_continues_with_the_new_size(tmp_path: Path) -> None:
    write_tiffs(tmp_path, "scan_", counts(3))
    write_tiffs(tmp_path, "scan_", counts(3, 2, 3), first=3)
    arrivals = list(until(FolderSource(tmp_path), last_projection(5)))
    (changed,) = (each for each in arrivals if isinstance(each, ShapeChanged))
    assert changed.shape == (2, 3)
    assert [each.index for each in frames_of(arrivals)] == [0, 1, 2, 4, 5]


def test_next_image_is_found_without_listing_the_folder(tmp_path: Path) -> None:
    write_tiffs(tmp_path, "scan_", counts(2))
    files = ArrivingFiles(tmp_path)
    long_ago = 0.0
    for file in files.poll(long_ago).complete:
        files.discard(file)
    write_tiffs(tmp_path, "scan_", counts(2), first=2)
    found = files.poll(long_ago).complete
    assert [(file.number, file.is_sure) for file in found] == [(1, True), (2, True), (3, False)]
    assert files.n_listed == 1


def test_complete_image_is_read_at_once_and_one_with_zeros_is_waited_for(
    tmp_path: Path,
) -> None:
    images = counts(4)
    images[2, -1, -1] = 0
    write_tiffs(tmp_path, "scan_", images[:1])
    scan = FolderScan(files := ArrivingFiles(tmp_path), "scan", CallsHere())
    stop, now_s = Event(), 0.0
    complete: list[list[int]] = []
    for k in range(1, 5):
        found = files.poll(now_s)
        complete.append(
            [f.index for f in frames_of(list(scan.frames_of_images(found, now_s, stop)))]
        )
        if k == 1:  # the size of an image is still unknown
            now_s += 1.0
            found = files.poll(now_s)
            complete.append(
                [f.index for f in frames_of(list(scan.frames_of_images(found, now_s, stop)))]
            )
        if k < 4:
            write_tiffs(tmp_path, "scan_", images[k : k + 1], first=k)
    assert complete == [[], [0], [1], [], [2, 3]]


def test_files_that_arrive_during_a_listing_are_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "PORTION", 3)
    write_tiffs(tmp_path, "scan_", counts(8))
    files = ArrivingFiles(tmp_path)
    assert len(files.poll(0.0).complete) == 7, "the first listing is incomplete"
    now_s = monotonic() + 1
    for k in range(8, 12):
        write_tiffs(tmp_path, "scan_", counts(1), first=k)
        (tmp_path / "scan_000001.tif").unlink(missing_ok=True)
        found = files.poll(now_s)
        assert not found.starts_new_scan
        now_s += 0.001
    assert files.n_listed == 2
    assert [file.number for file in found.removed] == [1]


def test_number_below_the_first_starts_a_new_scan(tmp_path: Path) -> None:
    write_tiffs(tmp_path, "scan_", counts(2), first=1)
    arrivals: list[Arrival] = []
    for each in until(FolderSource(tmp_path), last_projection(2)):
        arrivals.append(each)
        if last_projection(1)(each) and len(frames_of(arrivals)) == 2:
            write_tiffs(tmp_path, "scan_", counts(3))
    assert "scan_000000.tif is numbered before the first image; the scan starts again" in texts_of(
        arrivals
    )
    np.testing.assert_array_equal([each.values for each in frames_of(arrivals)][2:], counts(3))


def test_late_images_belong_to_the_scan_and_others_to_the_next(tmp_path: Path) -> None:
    """Check that scan numbers, not image numbers, assign images to scans."""
    write_tiffs(tmp_path, "scan_", counts(70))
    first = (tmp_path / "scan_000000.tif").read_bytes()
    (tmp_path / "scan_000000.tif").write_bytes(first[:40])
    arrivals: list[Arrival] = []
    for each in until(FolderSource(tmp_path), last_projection(0)):
        arrivals.append(each)
        if last_projection(69)(each):
            (tmp_path / "scan_000000.tif").write_bytes(first)
    frames = frames_of(arrivals)
    assert frames[-1].index == 0
    assert {each.scan for each in frames} == {0}
    assert not starts_new_scan(frames[-1], 69, frames[-2].scan)
    assert starts_new_scan(replace(frames[1], scan=1), 69, 0)
    assert starts_new_scan(replace(frames[-1], scan=None), 69, 0), (
        "without scan numbers, a lower image number starts a new scan"
    )


def test_late_images_are_stored_with_the_scan(tmp_path: Path) -> None:
    write_tiffs(tmp_path, "scan_", counts(70))
    first = (tmp_path / "scan_000000.tif").read_bytes()
    (tmp_path / "scan_000000.tif").write_bytes(first[:40])
    retained = Recording(FolderSource(tmp_path))
    for each in until(retained, last_projection(0)):
        if last_projection(69)(each):
            (tmp_path / "scan_000000.tif").write_bytes(first)
    assert retained.n_views == 70
