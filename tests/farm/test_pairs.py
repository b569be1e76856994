"""Tests of two processes on one cache, output or job: both succeed, or one is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.core import paths
from engine.core.errors import ResourceError
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import after_others, is_in_use, only_writer, sweep_locks
from tests.farm.pairs import THINGS, faults_of


def test_two_processes_share_every_resource() -> None:
    """Leave out the response: its tests are with its cache, since each child compiles kernels."""
    assert faults_of(2, tuple(thing for thing in THINGS if thing != "response")) == []


def test_output_has_only_one_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    (tmp_path / "link.h5").symlink_to(tmp_path / "a.h5")
    with only_writer(tmp_path / "a.h5"):
        assert is_in_use(tmp_path / "link.h5")
        with (
            pytest.raises(
                ResourceError, match=r"^link\.h5: another process is writing this file; wait"
            ),
            only_writer(tmp_path / "link.h5"),
        ):
            pass
        with only_writer(tmp_path / "b.h5"):
            pass
    assert not is_in_use(tmp_path / "a.h5")
    assert not list(paths.locks_dir().iterdir())


def test_waiting_process_can_give_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))

    def stop() -> None:
        raise KeyboardInterrupt

    with (
        only_writer(tmp_path / "a"),
        pytest.raises(KeyboardInterrupt),
        after_others(tmp_path / "a", stop),
    ):
        pass


def test_locks_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    left = paths.locks_dir() / "left.lock"
    with only_writer(tmp_path / "a"):
        for file in (left, *paths.locks_dir().iterdir()):
            file.touch()
            os.utime(file, (0, 0))
        sweep_locks()
        assert is_in_use(tmp_path / "a")
        assert not left.exists()
        assert len(list(paths.locks_dir().iterdir())) == 1


def test_new_lock_is_not_removed_before_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    made = paths.locks_dir() / "made.lock"
    made.touch()
    sweep_locks()
    assert made.exists()


def test_folder_without_lock_support_allows_files_but_no_long_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    with only_writer(tmp_path / "a"):
        lock = next(paths.locks_dir().iterdir())
    lock.mkdir()  # equivalent to a disk without space
    with (
        pytest.raises(ResourceError, match="no lock file can be created in this folder"),
        only_writer(tmp_path / "a"),
    ):
        pass
    lock.rmdir()
    paths.locks_dir().rmdir()
    (tmp_path / "home" / "locks").touch()
    write_atomically(b"whole", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"whole"
