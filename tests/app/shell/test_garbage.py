"""Tests that the window's thread collects cyclic garbage, between two events."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QComboBox, QListWidget, QTreeWidget

from app.shell.garbage import collect_between_events, collect_due

PATIENCE_MS = 20_000


class Cycle(QObject):
    """A Qt object in a reference cycle that records the thread of its deletion."""

    def __init__(self, ended_in: list[int]) -> None:
        super().__init__()
        self.itself = self
        weakref.finalize(self, lambda: ended_in.append(threading.get_ident()))


@pytest.fixture
def ended_in(qapp) -> list[int]:
    """Return the list of threads that deleted the cycles of a test."""
    collect_between_events(qapp)
    return []


def test_busy_thread_deletes_no_qt_objects(qtbot, ended_in):
    Cycle(ended_in)
    objects = []  # exceeds the thresholds of the collector for any earlier count

    def allocate() -> None:
        objects.extend([k] for k in range(200_000))

    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert ended_in == [], "another thread collected garbage"
    qtbot.waitUntil(lambda: ended_in == [threading.get_ident()], timeout=PATIENCE_MS)


def test_nothing_is_collected_without_new_garbage(ended_in):
    gc.collect()
    Cycle(ended_in)
    collect_due()
    assert ended_in == []


def test_windows_share_one_collection_timer(qapp, ended_in):
    before = len(qapp.children())
    collect_between_events(qapp)
    assert len(qapp.children()) == before


def test_lists_of_the_window_hold_no_python_objects(window, opened):
    """Qt copies and deletes item data in any thread: only texts and numbers are safe."""
    opened()
    models = [
        each.model()
        for kind in (QComboBox, QListWidget, QTreeWidget)
        for each in window.findChildren(kind)
    ]
    values = [
        model.data(model.index(row, 0), role)
        for model in models
        for row in range(model.rowCount())
        for role in range(0x0100, 0x0104)
    ]
    assert any(values), "no list has item data"
    assert {type(value) for value in values} <= {type(None), str, int, float, bool, list}


HEAPS = """
import ctypes, sys, tempfile
from threading import Thread
from app.shell.garbage import use_one_heap
if sys.argv[1] == "one":
    use_one_heap()
threads = [Thread(target=lambda: [bytes(10_000) for _ in range(100)]) for _ in range(3)]
for each in threads: each.start()
for each in threads: each.join()
libc = ctypes.CDLL(None)
libc.fdopen.restype = libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    out = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
    libc.malloc_info(0, out)
    libc.fclose(out)
    print(file.read().count(b"<heap nr="))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has several heaps")
def test_threads_of_the_window_share_one_heap() -> None:
    def heaps(which: str) -> int:
        environment = {k: v for k, v in os.environ.items() if k != "MALLOC_ARENA_MAX"}
        run = [sys.executable, "-c", HEAPS, which]
        return int(subprocess.check_output(run, env=environment, text=True))

    assert heaps("several") > 1 == heaps("one")
