"""Tests of the end of a process: exit code, output, and child processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import multiprocessing, sys, time
from PySide6.QtWidgets import QWidget
from app.shell.application import make_app
from app.shell.shutdown import leave
app = make_app()
window = QWidget()
window.show()
child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
child.start()
sys.stdout.write(f"{child.pid}")
leave(7)
"""


def test_output_and_exit_code_arrive_and_children_end() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (7, "")
    try:
        left = psutil.Process(int(done.stdout))
    except psutil.NoSuchProcess:
        return
    if left.status() != psutil.STATUS_ZOMBIE:  # a killed process needs some time to end
        left.wait(60)


WITHOUT_A_WINDOW = """
import atexit, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor
from app.shell.shutdown import finish
folder = tempfile.TemporaryDirectory()
sys.stdout.write(folder.name)
atexit.register(sys.stderr.write, "put off")
pool = ThreadPoolExecutor(1)
pool.submit(len, "").result()  # its thread waits for more and would wait for ever
threading.Thread(target=lambda: (time.sleep(0.3), sys.stderr.write("thread, "))).start()
finish(7)
"""


def test_process_without_a_window_ends_after_threads_and_deferred_work() -> None:
    program = [sys.executable, "-c", WITHOUT_A_WINDOW]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (7, "thread, put off")
    assert done.stdout and not Path(done.stdout).exists()


@pytest.mark.parametrize("arguments", [["--version"], ["nonsense"]])
def test_command_without_a_window_ends_normally(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "app", *arguments], capture_output=True)
    assert done.returncode == (0 if arguments == ["--version"] else 2)


def test_every_program_with_a_window_exits_cleanly() -> None:
    """The screenshot program once crashed at exit: Python freed an icon after Qt had ended."""
    programs = [
        path
        for top in ("app", "tests/app")
        for path in (ROOT / top).rglob("*.py")
        if path.name != Path(__file__).name
        and 'if __name__ == "__main__"' in (text := path.read_text(encoding="utf-8"))
        and "make_app" in text
    ]
    assert {path.stem for path in programs} >= {"take_screenshots", "measured_window"}
    assert [path.name for path in programs if "leave(0)" not in path.read_text("utf-8")] == []
