"""Tests of temporary folders: a start removes only those of killed programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.jobs.process.temporary_folder import _machine, sweep_temporary_folders

pytestmark = pytest.mark.skipif(os.name != "posix", reason="only Linux has a fork server")


def test_only_folders_of_ended_processes_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    removed = [f"isocenter-{_machine()}-{ended.pid}-abc"]
    stay = [
        f"isocenter-{_machine()}-{os.getpid()}-abc",
        f"isocenter-{_machine() + 1}-{ended.pid}-abc",
        f"isocenter-{ended.pid}",
        "isocenter-notes",
        f"isocenter-{_machine()}-{2**40}-a",
        f"pymp-{ended.pid}",
    ]
    for name in removed + stay:
        (tmp_path / name).mkdir()
        (tmp_path / name / "listener-1").touch()
    (tmp_path / f"isocenter-{_machine()}-{ended.pid}-link").symlink_to(tmp_path / stay[0])
    sweep_temporary_folders(tmp_path)
    left = {path.name for path in tmp_path.iterdir() if not path.is_symlink()}
    assert left == set(stay)
    assert (tmp_path / stay[0] / "listener-1").exists()
