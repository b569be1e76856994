"""Tests of the technician mode: controls, exit, and the steps from a scan to its report."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.shell import qt_start
from app.shell.technician.mode import ALLOWED
from app.state.models.inputs import Input
from app.state.models.passphrase import hashed, is_right
from app.workspace.steps.step_changes import StepChanges
from engine.data.runs.events import Corrected, Finished, Warned
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.engine.protocols.study.test_stored_protocol import with_iterations

MAX_CLICKS = 6
SCREEN = "1280x720x24"
ROOT = Path(__file__).resolve().parents[3]


def why_no_display() -> str:
    """Return the reason why no X display is available; empty if one is."""
    if shutil.which("Xvfb") is None:
        return "Xvfb is not installed"
    missing = qt_start.missing_libraries(qt_start.XCB_LIBRARIES)
    return qt_start.missing_text(missing) if missing else ""


@contextmanager
def display(record: Callable[[str, object], None]) -> Iterator[dict[str, str]]:
    """Start a private X display; if that is impossible, record the reason and go on without."""
    if why := why_no_display():
        record("no X display", why)
        yield {"QT_QPA_PLATFORM": os.environ["QT_QPA_PLATFORM"]}
        return
    server = str(shutil.which("Xvfb"))
    read_end, write_end = os.pipe()
    words = [server, "-displayfd", str(write_end), "-screen", "0", SCREEN, "-nolisten", "tcp"]
    with subprocess.Popen(words, pass_fds=(write_end,), stderr=subprocess.DEVNULL) as process:
        os.close(write_end)
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()
        try:
            yield {"QT_QPA_PLATFORM": "xcb", "DISPLAY": f":{number}"}
        finally:
            process.terminate()


@pytest.mark.essential
def test_scan_to_signed_and_sent_report_takes_six_clicks_and_no_key(
    small_study, tmp_path, record_property
):
    command = [sys.executable, "-m", "tests.app.technician_session", tmp_path, small_study.data]
    with display(record_property) as environment:
        done = subprocess.run(
            command, env=os.environ | environment, cwd=ROOT, capture_output=True, text=True,
            check=False, timeout=170,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["platform"] == environment["QT_QPA_PLATFORM"].partition(":")[0]
    assert 4 <= outcome["clicks"] <= MAX_CLICKS, (
        "fewer clicks mean that some were not counted or had no effect"
    )
    assert outcome["keys"] == 0 and outcome["scrolls"] == []
    assert outcome["size"] == [1280, 720]
    assert outcome["sent"] == ["Encapsulated PDF Storage", "Secondary Capture Image Storage"]
    assert outcome["signed"] == ["acceptable"] and outcome["pinned"]
    report, signature = sorted(outcome["reports"])
    assert signature == f"{report}.sig"
    assert report.endswith("-report.pdf")
    assert set(outcome["visible"]) <= ALLOWED


def test_passphrase_is_stored_as_a_salted_hash():
    one, other = hashed("correct horse"), hashed("correct horse")
    assert one != other and "horse" not in one
    assert is_right("correct horse", one) and is_right("correct horse", other)
    for wrong, stored in (("correct", one), ("", one), ("a", ""), ("a", "zz:zz"), ("a", "00")):
        assert not is_right(wrong, stored)


def test_only_the_passphrase_ends_the_technician_mode(qtbot, window, monkeypatch):
    mode, study = window.technician, window.session.study
    window.context.preferences.passphrase = hashed("right")
    study.set_protocol(with_iterations(study.protocol, 9))
    mode.toggle()
    assert mode.is_on and study.changes == [], "manual changes stay in the technician mode"
    shown = {name for name, each in window.actions_.named().items() if each.isVisible()}
    assert shown == ALLOWED & {*window.actions_.named()}
    assert all(card.isVisible() for card in window.workflow.cards[:3]), (
        "a card of the first steps is hidden"
    )
    for card in window.workflow.cards:
        card.set_open(True)
        card.head.click()
        assert not card.is_open, card.title
        QTest.mouseClick(card.head, Qt.MouseButton.LeftButton)
        assert not card.is_open and card.head.focusPolicy() is Qt.FocusPolicy.NoFocus
    assert not window.header.choice.manage.isVisible() and not window.header.device.isVisible()
    before = study.protocol
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert study.protocol == before, "the shortcut of a hidden action changed the protocol"
    for typed in ("wrong", ""):
        monkeypatch.setattr("app.shell.technician.mode.ask_text", lambda *_, s=typed, **__: s)
        monkeypatch.setattr("app.shell.technician.mode.show_reason", lambda *_: None)
        mode.toggle()
        assert mode.is_on
    monkeypatch.setattr("app.shell.technician.mode.ask_text", lambda *_, **__: "right")
    mode.toggle()
    assert not mode.is_on
    window.steps[1].set_open(True)
    assert window.steps[1].is_open
    assert all(each.isVisible() for each in window.actions_.named().values())
    assert window.steps[2].findChild(StepChanges).isHidden()


def test_technician_runs_only_approved_protocols(window):
    mode, study, library = (
        window.technician,
        window.session.study,
        window.context.preferences.library,
    )
    mine = library.save(with_iterations(study.protocol, 2), "Mine")
    approved = library.save(with_iterations(study.protocol, 5), "Approved")
    study.use_protocol(approved)
    approved = library.lock(library.find(approved), on=True)
    window.commands.protocols_changed.emit()
    mode.toggle()
    assert mode.refusal() == "", "a protocol that was locked while in use is refused"
    assert study.base == approved, "the mode did not switch to the approved protocol"
    box = window.header.choice.protocols
    assert [box.itemText(i) for i in range(box.count())] == ["Approved"]
    study.use_protocol(mine)  # like a dropped study file
    assert "The site has not approved the protocol" in window.session.obstacle()
    assert not window.actions_.start.isEnabled()
    mode.leave()
    assert mode.refusal() == ""


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)])
def test_signing_needs_no_scrolling_with_seven_warnings(opened, window, size):
    """One button counts the seven warnings; the unfolded list has a button per missing file."""
    opened()
    window.technician.toggle()
    window.resize(*size)
    card, run = window.header.judging, window.session.run
    asked = window.workflow.inputs.buttons
    assert {"normalisation", "attenuation"} <= set(asked)
    QApplication.processEvents()
    for each in (*asked.values(), window.header.choice.start):
        assert each.visibleRegion().boundingRect() == each.rect(), (
            "a button is scrolled out of view"
        )
    image = Volume(np.ones((4, 4, 4), np.float32), ImageGrid((4, 4, 4), (2.0, 2.0, 2.0)), "Bq/mL")
    run.begin("small", window.session.study.to_study())
    for kind in ("normalisation", "attenuation", "scatter"):
        run.take(Corrected(kind, "unavailable", "no file is given; load one"))
    for k in range(4):
        run.take(Warned(f"study.l holds the first {k} s of 900 s, which its header counts."))
    run.take(Finished(image, {}))
    QApplication.processEvents()
    warnings = card.warnings
    assert warnings.toggle.text() == "7 warnings" and not card.warning_card.isVisible()
    assert run.record.n_warnings == 7, "the tab Progress states another number of warnings"
    assert {"normalisation", "attenuation"} <= set(warnings.buttons)
    card.sign_off.judgement.buttons["acceptable"].click()
    card.verdict_card.show_card(True)
    QApplication.processEvents()
    sign = card.sign_off.sign
    assert sign.visibleRegion().boundingRect() == sign.rect()
    warnings.toggle.click()
    assert all(each.isVisible() for each in warnings.buttons.values())


def test_loaded_inputs_are_named_in_their_card(opened, window, tmp_path):
    opened()
    window.technician.toggle()
    study, card = window.session.study, window.workflow.inputs
    study.set_input("attenuation", Input(str(tmp_path / "map.h5"), "", None))
    assert card.needed["attenuation"].isVisible() and "μ-map" in card.summary
    assert "map.h5" in card.needed["attenuation"].words.full_text
    assert "attenuation" not in card.buttons
