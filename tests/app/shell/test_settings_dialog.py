"""Tests of the settings dialog: Save, invalid values, and use by the command line."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPageLayout
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QLabel

from app.output.report.printing import print_pages
from app.shell.dialogs.settings_dialog import TITLES, SettingsDialog
from app.state.models.passphrase import is_right
from engine.data import Volume
from engine.io.raster.png import snapshot
from engine.results.reports import Site
from tests.engine.results.reports.test_report import GRID


@pytest.fixture
def dialog(parent, controls):
    return SettingsDialog(parent, controls.context)


def test_saved_settings_are_used_by_the_command_line(dialog, preferences, tmp_path, monkeypatch):
    answers = iter(("secret", "secret"))
    monkeypatch.setattr(
        "app.shell.dialogs.settings_dialog.ask_text", lambda *_, **__: next(answers)
    )
    dialog.fields["name"].setText("City hospital")
    dialog.fields["people"].setText("A. One,  B. Two ,")
    dialog.fields["protocols"].setText(str(tmp_path))
    dialog.technician.setChecked(True)
    dialog.change.click()
    assert preferences.site == Site() and not preferences.passphrase, (
        "the settings were stored before Save"
    )
    dialog._save()
    stored = Site.read(preferences.folder)
    assert stored == preferences.site
    assert stored == Site(
        name="City hospital", people=("A. One", "B. Two"), protocols=str(tmp_path)
    )
    assert preferences.technician and is_right("secret", preferences.passphrase)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("logo", "/no/logo.png", "logo"),
        ("reports", "/no/such/folder", "this folder does not exist"),
        ("called", "x" * 17, "16 characters"),
    ],
)
def test_invalid_settings_are_refused_and_nothing_is_stored(
    dialog, preferences, field, value, message
):
    dialog.fields[field].setText(value)
    dialog._save()
    assert message in dialog.message.text() and preferences.site == Site()


def test_pages_are_printed_one_per_sheet(qapp, tmp_path):
    page = snapshot(Volume(np.ones(GRID.shape, np.float32), GRID, "HU"))
    printer = QPrinter(QPrinter.PrinterMode.ScreenResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "a.pdf"))
    printer.setPageOrientation(QPageLayout.Orientation.Portrait)
    print_pages(printer, [page, page])
    assert (tmp_path / "a.pdf").read_bytes().count(b"/Type /Page\n") == 2


def test_settings_are_in_two_columns_of_groups_with_aligned_fields(qtbot, dialog):
    dialog.show()
    titles = {
        label.text(): label
        for label in dialog.findChildren(QLabel)
        if label.property("role") == "heading"
    }
    assert set(titles) == set(TITLES.values())
    columns = {label.x() for label in titles.values()}
    assert len(columns) == 2, "the groups are not in two columns"
    assert titles["Site"].y() == titles["DICOM worklist"].y()
    assert dialog.width() > dialog.height()
    # Fields of a column are aligned across groups.
    left = {dialog.fields[name].mapTo(dialog, QPoint()).x() for name in ("name", "logo", "node")}
    right = {
        each.mapTo(dialog, QPoint()).x()
        for each in (dialog.fields["worklist"], dialog.fields["tls_key"], dialog.theme)
    }
    assert len(left) == 1 and len(right) == 1
    node, title = dialog.fields["node"], dialog.fields["called"]
    assert node.y() < title.y() < dialog.switches["archive_signed"].y()


def test_signing_key_is_chosen_as_a_file(dialog, monkeypatch, tmp_path):
    key = tmp_path / "own.key"
    asked = []
    monkeypatch.setattr(
        "app.shell.dialogs.settings_dialog.ask_open", lambda *args: asked.append(args) or key
    )
    dialog._choose_file("tls_key")
    assert dialog.fields["tls_key"].text() == str(key) and "*.key" in asked[0][-1]
