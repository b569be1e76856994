"""Tests of BLAS threads: the engine uses one thread, and restores the caller's number."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import scipy.linalg  # noqa: F401  its BLAS is loaded before a test counts threads
from threadpoolctl import threadpool_info, threadpool_limits

import engine
from engine.core.backend.processor import one_blas_thread
from engine.data.runs.events import Preview
from engine.recon.algorithms import Mlem
from engine.simulate import point

OVERLAP = """
from threading import Barrier, Thread

import numpy
from threadpoolctl import threadpool_info

from engine.core.backend.processor import one_blas_thread

both_inside = Barrier(2)


def show():
    print(*{each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"})


def work(leaves_first):
    with one_blas_thread():
        both_inside.wait(10)
        if leaves_first:
            show()
        else:
            first.join()
            show()


show()
first, last = (Thread(target=work, args=(leaves_first,)) for leaves_first in (True, False))
first.start()
last.start()
last.join()
show()
"""
"""Print the number of BLAS threads before, inside and after overlapping blocks."""


def n_threads() -> set[int]:
    """Return the thread numbers of all loaded BLAS libraries."""
    found = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
    return found


@pytest.fixture(autouse=True)
def callers_threads() -> Iterator[None]:
    """Set two threads, the default of a script on two cores."""
    if not n_threads():
        pytest.skip("NumPy uses a BLAS whose threads cannot be limited")
    with threadpool_limits(2, "blas"):
        yield


def test_nested_blocks_restore_the_callers_number_at_the_outer_end() -> None:
    with one_blas_thread():
        with one_blas_thread():
            assert n_threads() == {1}
        assert n_threads() == {1}
    assert n_threads() == {2}


def test_error_inside_a_block_restores_the_callers_number() -> None:
    with pytest.raises(ValueError, match="inside"), one_blas_thread():
        raise ValueError("inside")
    assert n_threads() == {2}


def test_overlapping_blocks_of_two_threads_restore_the_callers_number() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}  # even on a machine with one core
    done = subprocess.run(
        [sys.executable, "-c", OVERLAP], capture_output=True, text=True, env=environment,
        check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["2", "1", "1", "2"]


def test_run_from_a_script_uses_one_thread(tmp_path: Path) -> None:
    ring = engine.read_scanner("demo-ring")
    scan = tmp_path / "scan.h5"
    engine.save(engine.simulate_listmode(point(), ring, n_prompts=1000, seed=1), scan)
    protocol = engine.ListModeProtocol(
        grid={"voxel_mm": (8, 8, 8), "diameter_mm": 80, "length_mm": 40},
        sensitivity={"method": "sampled", "error_percent": 20},
        algorithm=Mlem(iterations=2),
    )
    inside: list[set[int]] = []
    between: list[set[int]] = []

    def should_continue() -> bool:  # the run calls this after each iteration
        inside.append(n_threads())
        return False

    study = engine.Study(data=scan, protocol=protocol)
    for event in engine.run(study, on=engine.cpu(2), finish_early=should_continue):
        if isinstance(event, Preview):
            between.append(n_threads())
    assert inside
    assert all(each == {1} for each in inside)
    assert between == [{2}, {2}]
    assert n_threads() == {2}
