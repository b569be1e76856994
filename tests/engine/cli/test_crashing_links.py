"""A file that crashes HDF5's library while its links are searched gives one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.core import paths
from engine.jobs import Job
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from tests.disturbed.shim import SOURCE
from tests.farm.formats import KINDS

pytestmark = [
    pytest.mark.essential,
    pytest.mark.skipif(sys.platform != "linux", reason="the reader of commands is a fork"),
]
CRASHING = """
import os, signal, sys
from engine.cli.main import main
from engine.io.hdf5 import links

def crash(tree):
    if tree.filename.endswith("bad.h5"):
        os.kill(os.getpid(), signal.SIGSEGV)
    return iter(())

links._linked_names = crash
sys.exit(main(sys.argv[1:]))
"""
SENTENCE = (
    "isocenter: bad.h5: the reader crashed (signal 11). The file is damaged. Copy or export it "
    "again.\n"
)


def command(home: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CRASHING, *map(str, words)],
        cwd=SOURCE.parents[2],
        env={**os.environ, paths.HOME_VARIABLE: str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def scan_at(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    kind = next(each for each in KINDS if each.name == "own-list-mode")
    return kind.make(folder).rename(folder / name)


@pytest.mark.parametrize(
    "words",
    [
        ("reconstruct", "{scan}", "-o", "{out}.h5"),
        ("reconstruct", "{folder}", "-o", "{out}.h5"),
        ("reconstruct", "{study}", "-o", "{out}.h5"),
        ("convert", "{scan}", "-o", "{out}.h5"),
        ("inspect", "{scan}", "--json", "{out}.json"),
        ("inspect", "{folder}", "--json", "{out}.json"),
    ],
    ids=lambda words: f"{words[0]} {words[1]}",
)
def test_command_names_the_file_and_survives(tmp_path, words):
    scan = scan_at(tmp_path / "scans", "bad.h5")
    (tmp_path / "study.toml").write_text('data = "scans/bad.h5"\n')
    places = {
        "scan": scan, "folder": scan.parent, "study": tmp_path / "study.toml",
        "out": tmp_path / "out",
    }  # fmt: skip
    done = command(tmp_path / "home", *(each.format(**places) for each in words))
    assert (done.stderr, done.returncode) == (SENTENCE, USER_FAULT)
    assert not list(tmp_path.glob("out*"))


def test_resumed_job_names_the_file_of_its_scan(tmp_path, monkeypatch):
    """The file can be damaged after the run was interrupted."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    job = Job.create(
        Study(data=scan_at(tmp_path / "scans", "bad.h5"), protocol=ListModeProtocol(name="A"))
    )
    done = command(tmp_path / "home", "resume", job.folder, "-o", tmp_path / "out.h5")
    assert (done.stderr, done.returncode) == (SENTENCE, USER_FAULT)


def test_sound_file_passes(tmp_path):
    scan = scan_at(tmp_path / "scans", "good.h5")
    done = command(tmp_path / "home", "convert", scan, "-o", tmp_path / "out.h5")
    assert done.returncode == DONE and (tmp_path / "out.h5").exists()
