"""The program's door: a window without arguments or with a file, else the command line."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.__main__ import main
from app.shell.application import report_fault
from tests.app.conftest import PATIENCE_MS


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["nonsense"], 2)])
def test_a_verb_goes_to_the_command_line(arguments, code):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == code


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is a display")
def test_without_a_display_one_sentence_says_what_to_do(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert main([]) == 2
    message = capsys.readouterr().err
    assert message.startswith("isocenter: no display") and message.count("\n") == 1


def test_a_file_opens_in_the_window(qapp, qtbot, small_study, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # put back afterwards
    seen = []

    def look() -> None:
        window = next(w for w in QApplication.topLevelWidgets() if hasattr(w, "session"))
        if seen or window.session.obstacle() or window.commands.is_busy:
            return
        seen.append(window.session.study.inputs["data"].name)
        window.close()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(50)
    QTimer.singleShot(PATIENCE_MS, qapp.quit)
    assert main([str(small_study.data)]) == 0
    assert seen == ["small.h5"]
    timer.stop()


def test_a_fault_of_ours_is_told_in_the_window(qtbot, window):
    try:
        raise ZeroDivisionError("a test")
    except ZeroDivisionError:
        report_fault(window.session, *sys.exc_info())
    assert "ZeroDivisionError" in window.centre.message_bar.text
    assert "Traceback" in window.session.log[-2].text


def test_the_age_of_a_process_counts_from_its_start():
    code = (
        "import time; from app.shell.measured_window import process_age_s; print(process_age_s())"
    )
    before = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < float(done.stdout) <= time.monotonic() - before + 0.02  # clock ticks of 10 ms
