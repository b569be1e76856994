"""Shared fixtures: random numbers, sample scans, home folder and GPU."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ["NUMBA_NUM_THREADS"] = "2"  # read when numba is first imported
# Otherwise waiting threads keep a core busy: half the cost of many small loops.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the same between products of matrices
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    # without this file, the offscreen screen has only 800 x 800 pixels
    screen = Path(__file__).resolve().parent / "app/screens/1920x1080.json"
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen}"

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # for child processes, see below

import numpy as np
import pytest

from engine.core.backend import Backend, cuda, named
from engine.core.errors import ResourceError
from tests import tiers
from tests.emulator import EmulatedGpu
from tests.skips import summary

sys.dont_write_bytecode = False
"""Without bytecode, each of hundreds of test processes would compile all sources."""

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a random generator with the same numbers for every test."""
    return np.random.default_rng(20240229)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of sample scans next to the clone; skip the test if there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the sample scans of ../shared/data are not on this machine")
    return SHARED_DATA


@pytest.fixture(params=["emulated", pytest.param("card", marks=pytest.mark.gpu)])
def on_gpu(request: pytest.FixtureRequest) -> Backend:
    """A CUDA backend: the emulated card and, if available, a real GPU."""
    return cuda(EmulatedGpu()) if request.param == "emulated" else named("cuda")


@pytest.fixture(scope="session", autouse=True)
def isocenter_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for settings, jobs and caches. Tests must not touch those of the user."""
    home = tmp_path_factory.mktemp("isocenter-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISOCENTER_HOME", str(home))
        yield home


@pytest.fixture(scope="module", autouse=True)
def freeze_garbage() -> None:
    """Exclude objects of earlier files from garbage collection.

    Each collection would visit all of them. Late in a run, this takes up to a second.
    """
    gc.collect()
    gc.freeze()


def pytest_collection_finish() -> None:
    """Exclude modules and tests from garbage collection, which would never free them.

    Young objects are collected less often than by default. Old windows must be collected soon,
    because Qt applies each new style to them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 2)


@pytest.hookimpl(tryfirst=True)  # before pytest selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the long tier; skip GPU tests if the engine finds no GPU."""
    tiers.mark(items)
    on_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if not on_gpu:
        return
    try:
        named("cuda")
    except ResourceError as e:
        for item in on_gpu:
            item.add_marker(pytest.mark.skip(reason=str(e)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the reasons for skipped tests."""
    for line in summary(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(line)
