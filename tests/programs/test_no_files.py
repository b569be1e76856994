"""Tests that the programs write only caches, according to Python, the kernel and the folders."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import isocenter as iso
from engine.core.paths import cache_dir
from tests.packaging.blocks import ROOT
from tests.programs import bench

WRITING = re.compile(
    r"\b(?:open|openat|creat)\([^\"]*\"(?P<opened>[^\"]+)\"[^)]*O_(?:WR\w+|RDWR|CREAT)"
    r"|\b(?:mkdir|mkdirat|truncate|chmod|fchmodat|mknod|mknodat)\([^\"]*\"(?P<made>[^\"]+)\""
    r"|\b(?:rename|renameat2?|link|linkat|symlink|symlinkat)\([^\"]*\"[^\"]+\"[^\"]*\"(?P<moved>[^\"]+)\""
)
"""System calls that write a file, in the words of strace."""
SYSTEM = ("/dev/", "/proc/")
"""Devices; the processes of a pool share locks in /dev/shm."""


def outside(paths: Iterable[str], caches: list[Path]) -> list[str]:
    """Return the paths outside the caches."""
    return sorted(
        path
        for path in set(paths)
        if not path.startswith(SYSTEM)
        and not any(Path(path).is_relative_to(each) or each.is_relative_to(path) for each in caches)
    )


def written_by_calls(log: str, folder: Path) -> list[str]:
    """Return the paths that the successful system calls of a log of strace wrote."""
    lines = (line for line in log.splitlines() if " = -1 " not in line)
    found = (match for line in lines if (match := WRITING.search(line)))
    return [str(folder / next(filter(None, match.groups()))) for match in found]


@pytest.mark.slow
def test_programs_write_only_to_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {name: tmp_path / name for name in ("home", "temp", "work", "libraries")}
    for each in folders.values():
        each.mkdir()
    iso.save(bench.events(), folders["work"] / "scan.h5")
    monkeypatch.setenv("ISOCENTER_HOME", str(folders["home"] / "isocenter"))
    compiled = Path(os.environ.get("NUMBA_CACHE_DIR", ROOT / "engine" / "kernels" / "__pycache__"))
    caches = [cache_dir(), compiled, folders["libraries"]]
    environment = os.environ | {
        "HOME": str(folders["home"]),
        "TMPDIR": str(folders["temp"]),
        # caches of Matplotlib and PyTorch
        "MPLCONFIGDIR": str(folders["libraries"]),
        "TORCHINDUCTOR_CACHE_DIR": str(folders["libraries"]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    log, strace = tmp_path / "calls.txt", shutil.which("strace")
    watcher = (strace, "-f", "-qq", "-s", "4096", "-e", "trace=%file", "-o", str(log))
    done = subprocess.run(
        [
            *(watcher if strace else ()),
            *(sys.executable, "-m", "tests.programs.watched", str(folders["work"])),
        ],
        cwd=folders["work"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["programs"]) >= 10
    assert outside(found["written"], caches) == []
    if strace:
        calls = written_by_calls(log.read_text("utf-8", "replace"), folders["work"])
        assert calls, "strace saw no write, not even to the cache"
        assert outside(calls, caches) == []
    left = [str(path) for name in ("home", "temp", "work") for path in folders[name].rglob("*")]
    assert outside(left, [*caches, folders["work"] / "scan.h5"]) == []


def test_log_of_system_calls_is_parsed(tmp_path: Path) -> None:
    log = (
        '7 openat(AT_FDCWD, "a.txt", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 3\n'
        '7 openat(AT_FDCWD, "/b.txt", O_RDONLY|O_CLOEXEC) = 3\n'
        '7 rename("/c.txt", "/d.txt") = 0\n'
        '7 mkdir("/e", 0777) = -1 EEXIST (File exists)\n'
        '7 mkdir("/cache/f", 0777) = 0\n'
    )
    written = written_by_calls(log, tmp_path)
    assert written == [str(tmp_path / "a.txt"), "/d.txt", "/cache/f"]
    assert outside(written, [Path("/cache")]) == sorted([str(tmp_path / "a.txt"), "/d.txt"])
