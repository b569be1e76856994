"""The end of a process with a window: its code and its words arrive, nobody outlives it."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

PROGRAM = """
import multiprocessing, sys, time
from PySide6.QtWidgets import QWidget
from app.shell.application import make_app
from app.shell.leaving import leave
app = make_app()
window = QWidget()
window.show()
child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
child.start()
sys.stdout.write(f"{child.pid}")
leave(7)
"""


def test_the_words_and_the_code_arrive_and_children_end() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (7, "")
    try:
        left = psutil.Process(int(done.stdout))
    except psutil.NoSuchProcess:
        return
    if left.status() != psutil.STATUS_ZOMBIE:  # killed: it may take a moment to be gone
        left.wait(60)


@pytest.mark.parametrize("arguments", [["--version"], ["nonsense"]])
def test_a_verb_without_a_window_ends_as_ever(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "app", *arguments], capture_output=True)
    assert done.returncode == (0 if arguments == ["--version"] else 2)
