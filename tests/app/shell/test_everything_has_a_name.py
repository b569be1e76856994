"""Tests of every dialog and page in both themes: size, names, contrast, overlaps, cut texts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from app.analysis.calibrate.calibrate_dialog import CalibrateDialog
from app.analysis.calibrate.normalise_dialog import NormaliseDialog
from app.analysis.calibrate.resolution_dialog import ResolutionDialog
from app.output.export.export_dialog import ExportDialog
from app.output.report.report_dialog import ReportDialog
from app.run.tuning.tuning_dialog import TuningDialog
from app.shell.dialogs.folder_dialog import FolderDialog
from app.shell.dialogs.settings_dialog import SettingsDialog
from app.shell.dialogs.storage_dialog import StorageDialog
from app.shell.dialogs.support_dialog import SupportDialog
from app.shell.help.about_box import about_box
from app.shell.help.guide import GuideWindow
from app.shell.help.help_dialog import HelpDialog
from app.state.services.saving import question_of
from app.ui.theme.questions import question_box
from app.ui.theme.theme import THEMES
from app.ui.theme.widgets import fitted, scrolled
from app.workspace.ct_inspection.sweep_dialog import SweepDialog
from app.workspace.steps.import_dialog import ImportDialog
from app.workspace.steps.protocols_dialog import ProtocolsDialog
from app.workspace.study_list.studies_dialog import StudiesDialog
from app.workspace.study_list.study_text import STATES
from engine.core.errors import FolderItem
from engine.jobs.study_index import ImagingOrder, KnownStudy, Worklist
from engine.modalities import MODALITIES
from engine.raw_import import preview_of
from engine.tools.diagnostics import SupportBundle
from tests.app.screen_laws import (
    contrast_of,
    cut_controls,
    cut_labels,
    faults_of,
    is_on,
    off_the_screen,
    overlapping,
    too_wide,
    unnamed,
    unreadable,
    without_tips,
)
from tests.app.shell.test_fits_the_screen import LONG, long_volume
from tests.engine.raw_import.scans import raw_file

pytestmark = pytest.mark.slow

SCREEN = QSize(1280, 720)


def settle() -> None:
    """Process events until wrapped texts have their height."""
    for _ in range(3):
        QApplication.processEvents()


def show_pages(window) -> list[str]:
    """Show all steps and tabs; return their faults."""
    faults = []
    panels = (window.workflow_dock, window.results_dock, window.rail)
    window.pages.show("prepare")
    for step in (*window.workflow.cards, *window.steps):
        step.set_open(True)
    settle()
    faults += faults_of(window)
    window.pages.show("judge")
    for index in range(window.tabs.count()):
        window.page_panels.show_panel(index)
        settle()
        faults += faults_of(window)
    before = [panel.isVisible() for panel in panels]
    assert before == [False, True, True]
    window.live.show()
    settle()
    assert not any(panel.isVisible() for panel in panels), "panels are visible on the live page"
    faults += faults_of(window)
    window.live.leave()
    assert [panel.isVisible() for panel in panels] == before
    return faults


@pytest.mark.parametrize("theme", THEMES)
def test_window_has_names_and_no_cut_text(qtbot, qapp, window, theme):
    window.context.theme.use(theme)
    window.resize(fitted(QSize(1440, 900), SCREEN))
    qtbot.waitUntil(lambda: not window.context.theme.is_refreshing)
    assert show_pages(window) == []
    window.session.show_file(long_volume(), "picture.nii")
    qapp.processEvents()
    assert show_pages(window) == []
    window.context.theme.use("dark")


def export(window, folder: Path) -> QDialog:
    return ExportDialog(window, window.session.run.record.images.items, 0, folder)


def export_over(window, folder: Path) -> QDialog:
    """Return an export dialog with its longest note."""
    target = folder / f"{LONG[:240]}.nii.gz"
    target.touch()
    dialog = export(window, folder)
    dialog.show()
    dialog.path.setText(str(target))
    return dialog


def candidates(window, _: Path) -> QDialog:
    (sweep, *_others) = next(each.sweeps for each in MODALITIES if each.sweeps)
    return SweepDialog(window, window.context, sweep)


def support(window, _: Path) -> QDialog:
    files = {"README.txt": f"{LONG} " * 9, f"{LONG[:60]}.txt": "12:00  info  opened [1]\n"}
    return SupportDialog(window, SupportBundle(files))


def importing(window, folder: Path) -> QDialog:
    """Return the import dialog of a raw file with a long name and all messages."""
    path = raw_file(folder).rename(folder / f"{LONG[:60]}.raw")
    dialog = ImportDialog(window, window.context, path)
    dialog.model.take({}, preview_of(path, {}, with_images=False))
    return dialog


def replacing(window, folder: Path) -> QDialog:
    (folder / LONG).touch()
    return question_box(window, "Replace existing files", question_of(folder / LONG), "help")


def studies(window, _: Path) -> QDialog:
    """Return a list of studies with the longest texts in all columns, one selected."""
    dialog = StudiesDialog(window, window.context, lambda _: None, lambda: None)
    order = ImagingOrder(
        patient_name=LONG[:60], patient_id=LONG[:64], step=LONG[:64], accession="A1"
    )
    now = datetime.now().astimezone()
    some = [
        KnownStudy(str(k), LONG, LONG[:60], state, LONG, now, order=order)
        for k, state in enumerate(STATES)
    ]
    dialog.show()  # the dialog reads the disk in a thread
    while window.commands.is_busy:
        QApplication.processEvents()
    dialog.studies._show_studies(some)
    dialog.studies.view.selectRow(0)
    return dialog


def worklist(window, folder: Path) -> QDialog:
    """Return a worklist with one order selected."""
    dialog = studies(window, folder)
    order = ImagingOrder(
        patient_name=LONG[:60], patient_id=LONG[:64], step=LONG[:64], accession="A1"
    )
    dialog.tabs.setCurrentIndex(1)
    dialog.worklist._show_orders(Worklist((order, order), (LONG,)))
    dialog.worklist.list.selectRow(0)
    return dialog


DIALOGS: dict[str, Callable[..., QDialog]] = {
    "about": lambda window, _: about_box(window),
    "calibrate": lambda window, _: CalibrateDialog(window, window.context),
    "resolution": lambda window, _: ResolutionDialog(window, window.context),
    "candidates": candidates,
    "export": export,
    "export over a file": export_over,
    "guide": lambda window, _: GuideWindow(window),
    "import": importing,
    "help": lambda window, _: HelpDialog(window),
    "normalise": lambda window, _: NormaliseDialog(window, window.context),
    "folder": lambda window, _: FolderDialog(
        window,
        Path("patient"),
        (FolderItem(Path("patient/CT/a.dcm"), "DICOM series"),),
        print,
        print,
    ),
    "protocols": lambda window, _: ProtocolsDialog(window, window.context),
    "replace": replacing,
    "report": lambda window, _: ReportDialog(window, window.context),
    "settings": lambda window, _: SettingsDialog(window, window.context),
    "storage": lambda window, _: StorageDialog(window, window.context, lambda *words: False),
    "studies": studies,
    "support": support,
    "worklist": worklist,
    "tuning": lambda window, _: TuningDialog(window, window.context),
}


def test_every_dialog_has_names_no_cut_text_and_fits_its_screen(qtbot, window, tmp_path):
    """All dialogs share one window and theme, which take longer to create than the dialogs."""
    window.session.show_file(long_volume(), "picture.nii")
    faults, dialogs = {}, {}
    for name, make in DIALOGS.items():
        dialogs[name] = make(window, tmp_path)
        dialogs[name].show()
    for theme in THEMES:
        window.context.theme.use(theme)
        qtbot.waitUntil(lambda: not window.context.theme.is_refreshing)
        settle()
        for name, dialog in dialogs.items():
            found = faults_of(dialog)
            faults |= {f"{name}, {theme}": found} if found else {}
    for name, dialog in dialogs.items():
        assert is_on(SCREEN, dialog), name
        dialog.close()
        qtbot.waitUntil(lambda: not window.commands.is_busy)
    assert faults == {}


@pytest.fixture
def panel(qtbot) -> QWidget:
    """Return an empty dialog."""
    dialog = QDialog()
    qtbot.addWidget(dialog)
    dialog.resize(300, 200)
    return dialog


def test_missing_name_is_found(panel):
    line, button = QLineEdit(panel), QPushButton(panel)
    button.move(0, 60)
    panel.show()
    assert unnamed(panel) == ["QLineEdit ", "QPushButton "]
    assert without_tips(panel) == ["QPushButton"]
    line.setAccessibleName("File")
    button.setText("Save")
    assert unnamed(panel) == [] and without_tips(panel) == ["Save"]


def test_overlapping_or_cut_text_is_found(panel):
    label, button = QLabel("Sagittal", panel), QPushButton("Open a scan", panel)
    label.setGeometry(10, 10, 90, 20)
    button.setGeometry(60, 10, 40, 24)
    panel.show()
    assert overlapping(panel) == ["'Sagittal' and 'Open a scan'"]
    assert cut_controls(panel) == ["Open a scan"]
    button.setGeometry(120, 10, 120, 24)
    assert overlapping(panel) == cut_controls(panel) == cut_labels(panel) == []


def test_unreadable_text_is_found(panel):
    row = QHBoxLayout(panel)
    label = QLabel("Not for clinical use")
    row.addWidget(label)
    panel.show()
    assert unreadable(panel) == []
    label.setStyleSheet("color: #777777; background: #666666")
    settle()
    (fault,) = unreadable(panel)
    assert "Not for clinical use" in fault and contrast_of(fault) < 4.5


def test_column_wider_than_its_area_is_found(panel):
    row = QHBoxLayout(panel)
    long = QLabel("too wide: less than 2.5 voxels, by some 3 %, as measured along the line")
    row.addWidget(scrolled(long))
    panel.show()
    (fault,) = too_wide(panel)
    assert fault.startswith("QDialog: ")
    long.setWordWrap(True)
    settle()
    assert too_wide(panel) == []


def test_window_larger_than_its_screen_is_found(panel):
    panel.show()
    assert off_the_screen(panel) == []
    panel.setMinimumWidth(4000)
    assert off_the_screen(panel) != [] and not is_on(SCREEN, panel)
