"""Test windows that start and end at the same time, with one folder of unfinished work."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.jobs import UnsentResult, WindowWork, WindowWorkFile, window_work


def test_file_that_its_window_removes_meanwhile_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, finished = WindowWorkFile(tmp_path), WindowWorkFile(tmp_path)
    left.write(WindowWork(unsent=(UnsentResult(id="left"),)), closed=True)
    finished.write(WindowWork(unsent=(UnsentResult(id="finished"),)), closed=True)
    (tmp_path / "a.json").symlink_to("removed")  # and its state is unreadable

    def checked(file: Path) -> bool:
        if b"finished" in file.read_bytes():
            file.unlink()
        return True

    monkeypatch.setattr(window_work, "is_own", checked)
    found = WindowWorkFile(tmp_path).recover()
    assert [each.id for each in found.work.unsent] == ["left"]
    assert found.faults == () and len(found.files) == 1
    assert not [*tmp_path.glob("*.damaged")]
