"""Tests of a file that crashes its library: the command ends with one sentence, not a signal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.exit_codes import USER_FAULT
from tests.disturbed.shim import SETTING, SOURCE, compiled, obstacle
from tests.farm.formats import KINDS

pytestmark = pytest.mark.slow

MAIN = "import sys; from engine.cli.main import main; sys.exit(main(sys.argv[1:]))"
AFTER_THE_HEAD = 4200
"""Reading crashes from this byte on; every format is recognised by earlier bytes."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if obstacle():
        pytest.skip(obstacle())
    return compiled(tmp_path_factory.mktemp("shim"))


def file_of(folder: Path, kind: str) -> Path:
    path = next(each for each in KINDS if each.name == kind).make(folder)
    assert path.stat().st_size > AFTER_THE_HEAD
    return path


def command(library: Path, crashing: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *map(str, words)],
        cwd=SOURCE.parents[2],
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            SETTING: f"crash:{AFTER_THE_HEAD}:{crashing}",
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("named", ["alone", "in a study"])
def test_reconstruction_of_a_crashing_scan_gives_one_sentence(
    tmp_path: Path, library: Path, named: str
) -> None:
    scan = file_of(tmp_path, "own-list-mode")
    if named == "alone":
        given, crashing = scan, scan
    else:
        (tmp_path / "map").mkdir()
        crashing = file_of(tmp_path / "map", "dxchange").rename(tmp_path / "mu.h5")
        given = tmp_path / "study.toml"
        given.write_text('data = "scan.h5"\nattenuation = "mu.h5"\n')
    done = command(library, crashing, "reconstruct", given, "-o", tmp_path / "out.h5")
    assert done.stderr == (
        f"isocenter: {crashing.name}: the reader crashed (signal 11). The file is damaged. Copy or "
        "export it again.\n"
    )
    assert done.returncode == USER_FAULT and not (tmp_path / "out.h5").exists()
    assert not done.stdout


def test_crashing_file_ends_its_reader_with_a_signal(tmp_path: Path, library: Path) -> None:
    """Without a separate reader process, the file ends the process itself."""
    scan = file_of(tmp_path, "own-list-mode")
    script = f"from engine.io import read_listmode; read_listmode({str(scan)!r})"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=SOURCE.parents[2],
        env={**os.environ, "LD_PRELOAD": str(library), SETTING: f"crash:{AFTER_THE_HEAD}:{scan}"},
        check=False,
    )
    assert done.returncode == -11
