"""Tests of the report dialog: complete texts, the page, and one signature per person."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton

from app.output.report.report_dialog import ReportDialog
from app.state.models.run_record import RunRecord
from engine.core import paths
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.results import NewResult, Results
from engine.results.reports import Site, sign
from tests.app.conftest import PATIENCE_MS
from tests.app.screen_laws import cut_controls, cut_labels

GRID = ImageGrid((6, 8, 8), (4.0, 4.0, 4.0))


@pytest.fixture
def dialog(qtbot, tmp_path, monkeypatch, controls, small_study) -> ReportDialog:
    """Return the dialog of the displayed result."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    site = Site(people=("A. Physicist",), reports=str(tmp_path))
    controls.context.preferences.set_site(site)
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL")
    stored = Results().keep(NewResult(small_study, image, {"axes": "LPS"}))
    controls.session.show_result(RunRecord("small", small_study), "final", image)
    controls.session.run.take_result("", stored.id)
    return opened(qtbot, controls)


def opened(qtbot, controls) -> ReportDialog:
    dialog = ReportDialog(None, controls.context)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: not dialog.preview.pixmap().isNull(), timeout=PATIENCE_MS)
    return dialog


def cut(dialog: ReportDialog) -> list[str]:
    """Return truncated texts, and controls below their minimum height."""
    low = [
        each.text()
        for each in dialog.findChildren(QAbstractButton)
        if each.isVisible() and each.height() < each.minimumSizeHint().height()
    ]
    return cut_labels(dialog) + cut_controls(dialog) + low


def laid_out(qtbot, dialog: ReportDialog) -> None:
    """Wait until no text is cut. Nested layouts grow over several turns of the event loop."""
    qtbot.waitUntil(lambda: cut(dialog) == [], timeout=PATIENCE_MS)


def test_no_text_is_cut_before_and_after_signing(qtbot, controls, dialog):
    assert cut(dialog) == []
    before = dialog.preview.pixmap().toImage()
    dialog.sign_off.judgement.buttons["acceptable"].click()
    dialog.sign_off.sign.click()
    qtbot.waitUntil(lambda: dialog.sign_off.open.isVisible(), timeout=PATIENCE_MS)
    laid_out(qtbot, dialog)
    assert "Acceptable; A. Physicist" in dialog.sign_off.message.text()
    qtbot.waitUntil(lambda: dialog.preview.pixmap().toImage() != before, timeout=PATIENCE_MS)
    assert not dialog.sign_off.sign.isVisible()
    again = opened(qtbot, controls)
    assert again.sign_off.is_signed, "the dialog asks again for a sign-off"
    assert not again.sign_off.judgement.isVisible() and not again.sign_off.sign.isVisible()
    assert cut(again) == []


def test_missing_sign_off_is_stated(qtbot, controls, dialog):
    result = Results().newest_first()[0]
    sign(result, "A. Physicist", "acceptable")
    (result.folder / "signatures.json").unlink()
    controls.session.run.take_result("", "")
    controls.session.run.take_result("", result.id)
    assert "1 earlier signature(s)" in dialog.sign_off.message.text()
    assert not dialog.sign_off.is_signed
    laid_out(qtbot, dialog)
