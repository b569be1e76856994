"""Tests of the log panel, which has text only while it is visible."""

from __future__ import annotations

import pytest

from app.shell.main_window import MainWindow
from app.state.models.messages import MAX_LOG_LINES


def lines(window: MainWindow) -> list[str]:
    return [line for line in window.log.text.toPlainText().split("\n") if line]


@pytest.fixture
def shown_log(window: MainWindow) -> MainWindow:
    window.actions_.log.setChecked(True)
    return window


def test_hidden_log_has_no_text_and_visible_log_has_all_lines(window: MainWindow) -> None:
    window.session.add_log("info", "before")
    assert not lines(window)
    window.actions_.log.setChecked(True)
    assert len(lines(window)) == len(window.session.log) and lines(window)[-1].endswith("before")
    window.session.add_log("warning", "<during>  it")
    assert lines(window)[-1].endswith("Warning: <during>  it")
    window.actions_.log.setChecked(False)
    assert not lines(window)
    window.session.add_log("info", "after")
    window.actions_.log.setChecked(True)
    assert [line.split()[-1] for line in lines(window)[-3:]] == ["before", "it", "after"]


def test_visible_log_drops_the_oldest_lines(shown_log: MainWindow) -> None:
    for k in range(MAX_LOG_LINES + 20):
        shown_log.session.add_log("info", f"line {k}")
    found = lines(shown_log)
    assert len(found) == MAX_LOG_LINES and found[-1].endswith(f"line {MAX_LOG_LINES + 19}")
