"""Tests that foreign text is always shown literally in the window.

The tests plant markup, right-to-left overrides, terminal commands and line ends in names of files
(recent, open, results, queue, folders, supports), protocols, patients and their orders, people of
the site, senders, regions, messages of libraries, titles and questions.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget

from app.language.translation import tr
from app.state.models.messages import Problem
from app.ui.theme.questions import question_box
from engine.analysis.regions.solids import SphereRegion
from engine.jobs.study_index import ImagingOrder
from engine.results import NewResult, Results
from tests.app.foreign_text import HOSTILE_NAME, faults_of, shows_foreign_text
from tests.app.shell import test_everything_has_a_name as everything

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows forbids these file names")
ORDER = ImagingOrder.model_construct(
    patient_name=HOSTILE_NAME,
    patient_id=HOSTILE_NAME,
    step=HOSTILE_NAME,
    accession=HOSTILE_NAME,
    study_uid="",
    date="20260101",
)


def test_foreign_text_checker_finds_markup(qtbot) -> None:
    top = QWidget()
    qtbot.addWidget(top)
    label = QLabel(HOSTILE_NAME, top)
    top.setToolTip("<b>x</b>")
    assert len(faults_of(top)) == 3
    label.setText("")
    top.setToolTip("")
    assert faults_of(top) == []


@pytest.fixture
def planted(qtbot, window, small_study, tmp_path, monkeypatch):
    """Return a window with foreign text in every place that can show it."""
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(everything, "LONG", HOSTILE_NAME)
    scan = tmp_path / HOSTILE_NAME / f"{HOSTILE_NAME}.h5"
    scan.parent.mkdir()
    scan.hardlink_to(small_study.data)
    protocol = small_study.protocol.model_copy(update={"name": HOSTILE_NAME})
    study = small_study.model_copy(update={"data": scan, "protocol": protocol})
    window.session.order.take(ORDER, ())
    window.commands.open_study(study)
    wait = lambda: qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=60_000)  # noqa: E731
    wait()
    window.context.preferences.remember(scan)
    window.context.preferences.library.save(protocol, HOSTILE_NAME)
    window.session.show_file(everything.long_volume(), HOSTILE_NAME)
    volume = replace(everything.long_volume(), unit="Bq/mL")
    Results().keep(NewResult(study, volume, {}))
    window.context.results.refresh()
    window.context.queue.add()
    wait()
    window.context.queue.refresh()
    window.welcome_lists.refresh()
    window.session.regions.add(SphereRegion(centre_mm=(0, 0, 0), diameter_mm=20), "scan<b>x</b>")
    status = window.live.commands.model.status
    status.messages.append(f"{HOSTILE_NAME}: this sender is not the one of the scan.")
    window.live.commands.model.state_changed.emit()
    window.session.add_log("warning", f"{HOSTILE_NAME}: this file cannot be read.")
    window.session.raise_problem(
        Problem(f"{HOSTILE_NAME} cannot be opened.", f"{HOSTILE_NAME}: damaged.")
    )
    wait()
    return window


def checked(top: QWidget, name: str) -> list[str]:
    QApplication.processEvents()
    assert shows_foreign_text(top), f"{name}: the foreign text is not shown"
    return [f"{name}: {fault}" for fault in faults_of(top)]


@pytest.mark.slow
def test_foreign_text_never_acts_in_the_window(planted) -> None:
    for step in planted.steps:
        step.set_open(True)
    for index in range(planted.tabs.count()):
        planted.page_panels.show_panel(index)
        QApplication.processEvents()
    menus = planted.findChildren(QMenu)
    for menu in menus:
        menu.aboutToShow.emit()
    planted.actions_.log.setChecked(True)
    faults = checked(planted, "window")
    assert not faults, "\n".join(faults)


DIALOGS: dict[str, Callable[[QWidget, Path], QWidget]] = {
    **{
        name: everything.DIALOGS[name]
        for name in ("export", "export over a file", "import", "replace", "studies")
    },
    **{name: everything.DIALOGS[name] for name in ("worklist", "report", "protocols", "settings")},
    "question": lambda window, _: question_box(
        window, HOSTILE_NAME, tr("Saved: {path}", path=HOSTILE_NAME), "help"
    ),
    "folder": lambda window, _: everything.FolderDialog(
        window,
        Path(HOSTILE_NAME),
        (everything.FolderItem(Path(HOSTILE_NAME) / HOSTILE_NAME, HOSTILE_NAME),),
        print,
        print,
    ),
    "queue": lambda window, _: _queue(window),
}


SILENT = {"replace", "settings", "report"}
"""Dialogs that show only pseudonyms or settings, and therefore no foreign text."""


def _queue(window) -> QWidget:
    from app.workspace.queue.queue_dialog import QueueDialog

    return QueueDialog(window, window.context)


@pytest.mark.slow
def test_foreign_text_never_acts_in_a_dialog(planted, tmp_path) -> None:
    faults, silent = [], []
    for name, make in DIALOGS.items():
        dialog = make(planted, tmp_path)
        dialog.show()
        QApplication.processEvents()
        faults += [f"{name}: {fault}" for fault in faults_of(dialog)]
        silent += [] if shows_foreign_text(dialog) else [name]
        dialog.close()
    assert not faults, "\n".join(faults)
    assert set(silent) <= SILENT
