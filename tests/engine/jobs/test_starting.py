"""Tests of new processes: environment, preloaded modules, no threads, no GPU."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from engine.core.garbage import SELDOM
from engine.jobs.process import starting
from engine.jobs.process.starting import PRELOADED, new_process, process_context


def send_state(line: Connection) -> None:
    line.send((dict(os.environ), threading.active_count(), sorted(sys.modules), str(Path.cwd())))


def send_garbage_state(line: Connection) -> None:
    line.send((gc.get_freeze_count(), gc.isenabled(), gc.get_threshold()[0]))


def result_in_process(send_state: Callable[[Connection], None] = send_state) -> Any:
    line, far_line = process_context().Pipe(duplex=False)
    process = new_process(send_state, far_line, name="teller")
    process.start()
    far_line.close()
    try:
        return line.recv()
    finally:
        process.join()
        assert process.exitcode == 0


@pytest.mark.parametrize("method", ["this system's", "spawn"])
def test_process_has_the_current_environment_and_folder(method, monkeypatch, tmp_path):
    if method == "spawn":  # like systems without a fork server
        monkeypatch.setattr(starting, "process_context", partial(get_context, "spawn"))
    monkeypatch.setenv("ISOCENTER_TOLD", "now")
    monkeypatch.delenv("LANG", raising=False)
    monkeypatch.chdir(tmp_path)
    environment, n_threads, _, folder = result_in_process()
    assert environment == dict(os.environ)
    assert n_threads == 1
    assert folder == str(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a fork server")
def test_heavy_modules_are_preloaded_without_window_or_gpu_modules():
    _, _, modules, _ = result_in_process()
    assert {PRELOADED, "numba", "engine.jobs.reconstruction"} <= set(modules)
    assert not [name for name in modules if name.split(".")[0] in ("app", "PySide6", "cupy")]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a fork server")
def test_garbage_collection_skips_preloaded_objects():
    n_left_out, collects, threshold = result_in_process(send_garbage_state)
    assert n_left_out > 50_000
    assert collects
    assert threshold == SELDOM
