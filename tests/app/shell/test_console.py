"""Tests of the Python console. Its process has the study and image of the displayed page."""

from __future__ import annotations

import os
from html import unescape

import psutil
import pytest

from app.shell.scripting.console import NOT_INSTALLED, PACKAGES
from app.state.models.run_record import RunState
from tests.app.conftest import PATIENCE_MS


def test_missing_packages_are_named_in_the_tooltip_with_a_remedy(monkeypatch, qapp, window):
    from app.shell.scripting import console

    monkeypatch.setattr(console, "find_spec", lambda name: None)
    new_console = console.Console(window, window.context, window.scripts)
    assert not new_console.action.isEnabled()
    tip = unescape(new_console.action.toolTip()).replace("\u200b", "")
    assert NOT_INSTALLED in tip
    assert "isocenter[console]" in NOT_INSTALLED


@pytest.fixture
def installed() -> None:
    for name in PACKAGES:
        pytest.importorskip(name, reason="the console's packages are not installed")


@pytest.mark.usefixtures("installed")
def test_console_has_study_and_volume_and_reconstructs(qtbot, window, opened):
    opened()
    window.runner.start()
    qtbot.waitUntil(lambda: window.session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
    is_stored = lambda: window.session.run.record.result_id and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(is_stored, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: len(window.session.results.items) > 0, timeout=PATIENCE_MS)
    before = children()
    window.console.action.trigger()
    shown = window.console.window.console
    text = lambda: shown._control.toPlainText()  # noqa: E731
    qtbot.waitUntil(lambda: "In [2]" in text(), timeout=PATIENCE_MS)
    assert "study = iso.Study(" in text().partition("In [1]")[2], (
        "the console does not show its predefined names"
    )
    shown.execute("(iso.reconstruct(study, on=iso.cpu(2)).values == volume.values).all()")
    qtbot.waitUntil(lambda: "In [3]" in text(), timeout=PATIENCE_MS)
    assert "Out[2]: True" in text() or "Out[2]: np.True_" in text()
    # A command that ends Python does not close the window
    window.console.window.load.click()
    qtbot.waitUntil(lambda: "In [4]" in text(), timeout=PATIENCE_MS)
    window.console.end()
    qtbot.waitUntil(lambda: children() <= before, timeout=PATIENCE_MS)
    assert not window.console.window.is_running
    window.console.action.trigger()
    assert window.console.window.is_running, "the console did not restart"


@pytest.mark.usefixtures("installed")
def test_console_without_a_scan_has_the_library(qtbot, window):
    window.console.action.trigger()
    text = lambda: window.console.window.console._control.toPlainText()  # noqa: E731
    qtbot.waitUntil(lambda: "In [2]" in text(), timeout=PATIENCE_MS)
    assert "import isocenter as iso" in text()
    window.console.window.reject()
    assert not window.console.window.is_running


def children() -> set[int]:
    """Return the processes that run the console."""
    found = psutil.Process(os.getpid()).children(recursive=True)
    return {each.pid for each in found if "ipykernel" in " ".join(each.cmdline())}
