"""Tests of the start page: offers of unfinished work from a window that the system ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from app.shell.application import make_window
from app.shell.unfinished_offers import edited_offers
from engine.core.paths import HOME_VARIABLE
from engine.jobs import EditedStudy, UnsentResult, WindowWork, WindowWorkFile
from tests.app.conftest import PATIENCE_MS, shut_down


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start without the unfinished work of other tests."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


def offers(window) -> list[str]:
    """Return the accessible names of the offers of the start page."""
    buttons = window.centre.welcome.findChildren(QPushButton)
    return [each.accessibleName() for each in buttons if each.accessibleName()]


def next_window(qtbot, qapp, window):
    """Return the window of the next start."""
    second = make_window(qapp, window.context.preferences, window.commands.loader())
    second.dialogs.confirm = lambda *words: True
    qtbot.addWidget(second)
    second.show()
    ready = lambda: second.session.device.found != () and not second.commands.is_busy  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    return second


def test_edited_settings_survive_a_logout(qtbot, qapp, window, small_study) -> None:
    window.commands.open_study(small_study)
    qtbot.waitUntil(lambda: "data" in window.session.study.inputs, timeout=PATIENCE_MS)
    protocol = window.session.study.protocol.model_copy(update={"reproducible": True})
    window.session.study.set_protocol(protocol)
    window.is_ending = True
    assert window.close()
    second = next_window(qtbot, qapp, window)
    (words,) = [each for each in offers(second) if each.startswith("Reopen small.h5")]
    assert "not run" in words
    (row,) = [
        each
        for each in second.centre.welcome.findChildren(QPushButton)
        if each.accessibleName() == words
    ]
    row.click()
    qtbot.waitUntil(lambda: second.session.study.protocol.reproducible, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not second.commands.is_busy, timeout=PATIENCE_MS)
    assert second.session.study.edited is not None
    shut_down(qtbot, second)


def test_unsent_image_is_offered_with_its_title(qtbot, qapp, window) -> None:
    unsent = UnsentResult(id="1", title="Scan A, Brain FDG")
    WindowWorkFile().write(WindowWork(unsent=(unsent,)), closed=True)
    second = next_window(qtbot, qapp, window)
    assert any(each.startswith("Send Scan A, Brain FDG") for each in offers(second))
    shut_down(qtbot, second)


def test_two_offers_never_have_the_same_words(window, small_study) -> None:
    """Exports of two patients often have the same file name."""
    text, when = small_study.model_dump_json(), datetime(2026, 11, 26, 1, 4, tzinfo=UTC)
    copies = [small_study.model_copy(update={"data": Path(f"/{k}/small.h5")}) for k in "ab"]
    studies = [text, *(each.model_dump_json() for each in copies)]
    edits = [EditedStudy(study=each, changed=when) for each in studies]
    edits.append(EditedStudy(study=text + " ", changed=when + timedelta(seconds=1)))
    window.context.unfinished.edited.add(edits)
    offered = edited_offers(window.context)
    assert len({(each.text, each.detail) for each in offered}) == len(edits)
    assert all(each.text.startswith("Reopen small.h5") for each in offered)
