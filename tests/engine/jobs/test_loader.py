"""Tests of the reader process: crashes, limits and interrupts give one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError, ReadingStoppedError
from engine.data.projections import Projections
from engine.data.storage.spooled_array import SpooledArray
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import parallel
from engine.io import read_scanner, save, write_projections
from engine.jobs.loader import CallsHere, ForeignFiles, Loader
from engine.jobs.loader import limits as limits_of_loader
from engine.modalities import MODALITIES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


@pytest.fixture(scope="module")
def loader():
    # fork starts faster
    new_loader = Loader("fork" if sys.platform == "linux" else "new")
    yield new_loader
    new_loader.close()


def crash(path: Path) -> None:
    """Crash like a library with a damaged file."""
    os.kill(os.getpid(), signal.SIGSEGV)


def spin(path: Path) -> None:
    while True:
        pass


def swallow(path: Path) -> None:
    np.ones(1 << 50, np.uint8)


def stumble(path: Path) -> None:
    raise KeyError("entry")


def hang(path: Path) -> None:
    time.sleep(600)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "scan.h5"
    path.write_bytes(b"x")
    return path


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (crash, r"scan\.h5: the reader crashed \(signal 11\)\. The file is damaged"),
        (swallow, r"scan\.h5: reading needs more than the .* GiB of free memory"),
        (
            stumble,
            r"scan\.h5: this file cannot be read \(KeyError: 'entry'\)\. The file is damaged",
        ),
    ],
)
def test_every_failure_of_a_reader_gives_one_sentence(loader, file, work, words):
    with pytest.raises(EngineError, match=words):
        loader.call(work, file, about=file)
    assert loader.call(len, "next", about=file) == 4, "the next file is not read"


def test_slow_file_is_stopped_at_its_time_limit(loader, file, monkeypatch):
    monkeypatch.setattr(limits_of_loader, "SECONDS_PER_PART", 0.2)
    with pytest.raises(EngineError, match=r"more than 0\.2 s of CPU time"):
        loader.call(spin, file, about=file)


def test_user_can_stop_a_read_and_waiting_reads(loader, file):
    stop = threading.Event()
    faults: list[EngineError] = []

    def call() -> None:
        with pytest.raises(ReadingStoppedError) as raised:
            loader.call(hang, file, about=file, stopped=stop.is_set)
        faults.append(raised.value)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    stop.set()
    for thread in threads:
        thread.join()
    assert [str(fault) for fault in faults] == ["scan.h5: reading was stopped."] * 2


def test_process_killed_from_outside_gives_one_sentence(loader, file):
    loader.start()
    killer = threading.Timer(0.2, lambda: os.kill(loader.pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(EngineError, match=r"scan\.h5: the reader was killed"):
        loader.call(hang, file, about=file)


def test_time_limit_grows_with_file_size(file, monkeypatch):
    monkeypatch.setattr(limits_of_loader, "PART_BYTES", 10_000)
    once = limits_of_loader.allowed_seconds(file)
    file.write_bytes(b"\1" * 5 * limits_of_loader.PART_BYTES)
    assert limits_of_loader.allowed_seconds(file) == 5 * once
    assert limits_of_loader.allowed_seconds(file.with_name("header.hdr")) == 5 * once


def test_transferred_volume_equals_the_file(loader, tmp_path):
    grid = ImageGrid((40, 50, 60), (1.0, 1.0, 2.0))
    values = np.random.default_rng(1).random(grid.shape, np.float32)
    save(Volume(values, grid, "1/mm"), tmp_path / "volume.h5", {})
    files, here = ForeignFiles(loader), ForeignFiles(CallsHere())
    volume = files.volume(tmp_path / "volume.h5", ())
    assert isinstance(volume, Volume) and volume.grid == grid
    np.testing.assert_array_equal(volume.values, values)
    assert volume.values.flags.writeable
    scanner = files.scanner("siemens-mmr")
    np.testing.assert_array_equal(scanner.positions_mm, read_scanner("siemens-mmr").positions_mm)
    assert scanner.fingerprint() == here.scanner("siemens-mmr").fingerprint()


def test_radiographs_are_transferred_in_an_unnamed_file(loader, tmp_path):
    geometry = parallel(np.linspace(0, 3, 30), shape=(20, 50), pixel_mm=1.0)
    values = np.random.default_rng(2).random((30, 20, 50), np.float32)
    write_projections(Projections(values, geometry, "integrals"), tmp_path / "scan.h5")
    found = ForeignFiles(loader).recognise(tmp_path / "scan.h5")
    assert found.modality in MODALITIES, "the modality is a copy"
    scan = ForeignFiles(loader).scan(tmp_path / "scan.h5", None)
    assert not any(scan.empty_scan.values.strides), "the empty scan uses memory for its values"
    assert isinstance(scan.projections.scan.values, SpooledArray)
    np.testing.assert_array_equal(scan.projections.sinogram(7).values, values[:, 7])


@pytest.mark.parametrize("waits", [False, True])
def test_library_of_few_formats_is_imported_only_while_no_file_waits(waits):
    code = (
        "import sys; from multiprocessing import Pipe; from engine.jobs.loader import child\n"
        "near, far = Pipe(); child.IDLE_S = 0.01\n"
        f"if {waits}: near.send_bytes(b'a call')\n"
        "child._load_heavy(far); print('h5py' in sys.modules, 'nibabel' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", str(not waits)]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_reader_process_ends_with_its_parent(tmp_path):
    code = (
        "import os, sys, time; from engine.jobs.loader import Loader\n"
        "made = Loader(); made.start(); print(made.pid, flush=True); os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    pid = int(done.stdout)
    end = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


def test_inspect_survives_a_crashing_reader(tmp_path, monkeypatch, capsys):
    """A reader that crashes gives one sentence and exit code 2."""
    from engine.cli.main import main
    from engine.modalities import inspection

    path = tmp_path / "volume.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    monkeypatch.setattr(inspection, "inspect_format", lambda path, scanner: crash(path))
    if threading.active_count() > 1 or sys.platform != "linux":
        pytest.skip("a command forks only where there are no threads")
    assert main(["inspect", str(path)]) == 2
    assert "volume.h5: the reader crashed (signal 11)" in capsys.readouterr().err
