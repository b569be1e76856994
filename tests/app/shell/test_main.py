"""Tests of the entry point: a window without arguments or with a file, otherwise a command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
import qt_libraries
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.__main__ import main
from app.shell import qt_start
from app.shell.application import report_fault
from tests.app.conftest import PATIENCE_MS


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["nonsense"], 2)])
def test_verb_runs_the_command_line(arguments, code):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == code


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems always have a display"
)
def test_missing_display_gives_one_sentence_with_a_remedy(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert main([]) == 2
    message = capsys.readouterr().err
    assert message.startswith("isocenter: no display") and message.count("\n") == 1


WITHOUT_SERVER = {"DISPLAY": ":77"}
"""A display without a server."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux uses X")
def test_missing_x_libraries_give_one_sentence_instead_of_a_qt_abort():
    environment = {k: v for k, v in os.environ.items() if k != "QT_QPA_PLATFORM"}
    done = subprocess.run(
        [sys.executable, "-m", "app"],
        env=environment | WITHOUT_SERVER,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, "Qt aborted"
    lacks = qt_start.missing_libraries((*qt_start.QT_LIBRARIES, *qt_start.XCB_LIBRARIES))
    expected = lacks or ["the display ':77' does not answer"]
    assert all(words in done.stderr for words in expected)
    assert done.stderr.startswith("isocenter: ") and done.stderr.count("\n") == 1
    assert "isocenter reconstruct" in done.stderr, "the message does not name the command line"


def test_missing_library_is_named_with_its_package():
    missing = qt_start.missing_libraries(("libc.so.6", "libxcb-nowhere.so.3"))
    assert missing == ["libxcb-nowhere.so.3"]
    assert "apt-get install libxcb-nowhere3`" in qt_start.missing_text(missing)


def test_setup_installs_the_libraries_that_the_window_requires():
    asked = {qt_start.debian_package(x) for x in qt_start.QT_LIBRARIES + qt_start.XCB_LIBRARIES}
    assert set(qt_libraries.packages({"VERSION_CODENAME": "bookworm"}, xcb=True)) <= asked


@pytest.mark.parametrize(
    ("given", "on_x"),
    [
        ({"DISPLAY": ":0"}, True),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, False),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, False),
        ({"QT_QPA_PLATFORM": "xcb"}, True),
        ({}, False),
    ],
)
def test_only_windows_on_x_need_the_x_libraries(given, on_x):
    assert qt_start.uses_x(given) == on_x


def test_file_opens_in_the_window(qapp, qtbot, small_study, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # restored after the test
    on_interrupt = signal.getsignal(signal.SIGINT)  # also references the window
    opened = []

    def check() -> None:
        window = next(w for w in QApplication.topLevelWidgets() if hasattr(w, "session"))
        if opened or window.session.obstacle() or window.commands.is_busy:
            return
        opened.append(window.session.study.inputs["data"].name)
        qtbot.addWidget(window)
        window.close()

    timer = QTimer()
    timer.timeout.connect(check)
    timer.start(50)
    QTimer.singleShot(PATIENCE_MS, qapp.quit)
    assert main([str(small_study.data)]) == 0
    signal.signal(signal.SIGINT, on_interrupt)
    assert opened == ["small.h5"]
    timer.stop()


def test_internal_error_is_shown_in_the_window(qtbot, window):
    try:
        raise ZeroDivisionError("a test")
    except ZeroDivisionError:
        report_fault(window.session, *sys.exc_info())
    assert "ZeroDivisionError" in window.centre.message_bar.text
    assert "Traceback" in window.session.log[-2].text


def test_process_age_counts_from_its_start():
    code = (
        "import time; from app.shell.measured_window import process_age_s; print(process_age_s())"
    )
    before = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # The system counts in ticks of 10 ms.
    assert 0 < float(done.stdout) <= time.monotonic() - before + 0.02
