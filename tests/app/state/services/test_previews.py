"""Tests of the CT preview: it follows the protocol, and is never stored as a result."""

from __future__ import annotations

import numpy as np
import pytest

from app.shell.page.page_panels import FOLDED
from app.state.models.run_record import RunState
from app.workspace.ct_inspection.preview_panel import PreviewTab
from engine.corrections.preprocess import Binning, CentreOfRotation, FlatField, Rings
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.recon.algorithms import Fdk, Sirt
from tests.app.conftest import PATIENCE_MS
from tests.app.test_ct import ct_scan, open_ct, with_steps  # noqa: F401

MU = 0.02


@pytest.fixture
def page(window) -> PreviewTab:
    return next(
        window.tabs.widget(i)
        for i in range(window.tabs.count())
        if window.tabs.tabText(i) == "Preview"
    )


@pytest.fixture
def wait_for_preview(qtbot, window, page, open_ct):  # noqa: F811
    """Open the scan, show the page, and wait for a preview of the current protocol."""
    open_ct()

    def wait() -> None:
        previews = window.context.previews
        done = lambda: previews.is_current and not window.commands.is_busy  # noqa: E731
        qtbot.waitUntil(done, timeout=PATIENCE_MS)

    wait()
    return wait


def test_opened_scan_gets_a_preview(window, page, wait_for_preview):
    preview = window.context.previews.preview
    assert preview.volume.values.shape == (1, 40, 40)
    assert preview.volume.values[0, 20, 20] == pytest.approx(MU, rel=0.05)
    assert page.headline.text() == "Preview: central slice, z 0.5 mm"
    assert "Filtered back projection (FDK), Ram-Lak window; axis at" in page.text.text()
    assert page.text.text().startswith("This is a preview, not the result of a run.")
    assert page.view.caption() == "Preview"


def test_preview_is_not_an_image_of_the_run(window, wait_for_preview):
    assert window.session.view.volume is None
    assert window.session.run.record.images.items == []
    assert window.session.run.record.result is None
    assert window.session.run.state is RunState.IDLE


def test_changed_filter_gives_a_new_preview_that_names_it(window, page, wait_for_preview):
    before = window.context.previews.preview
    window.session.study.set_protocol(CtProtocol(algorithm=Fdk(window="hann", cutoff=0.5)))
    assert page.headline.text().startswith("Preview with the previous settings")
    wait_for_preview()
    assert "Hann window, cut off at 50%" in page.text.text()
    assert not np.array_equal(window.context.previews.preview.volume.values, before.volume.values)


def test_newest_of_many_changes_is_shown(window, wait_for_preview):
    for column in (17.0, 18.0, 19.0, 21.0):
        window.session.study.set_protocol(with_steps(centre=CentreOfRotation(column=column)))
    wait_for_preview()
    assert window.context.previews.preview.protocol == window.session.study.protocol
    assert "axis at column 21.00, from the protocol" in window.context.previews.preview.messages


def test_impossible_preview_gives_one_sentence_and_no_old_image(window, page, wait_for_preview):
    window.session.study.set_protocol(with_steps(flat_field=FlatField(use="off")))
    wait_for_preview()
    assert window.context.previews.preview is None
    assert "expected 'integrals'" in page.text.text()
    assert page.state.volume is None
    window.session.study.undo()
    wait_for_preview()
    assert page.state.volume is not None


def test_hidden_page_computes_no_preview(qtbot, window, page, wait_for_preview):
    window.page_panels.show_panel(FOLDED)
    window.session.study.set_protocol(with_steps(binning=Binning(pixels=2)))
    qtbot.wait(400)
    assert not window.context.previews.is_current
    assert not page.isVisible(), "the folded preview opened"
    window.page_panels.show_panel(window.tabs.indexOf(page))
    wait_for_preview()
    assert window.context.previews.preview.volume.values.shape == (1, 20, 20)


def test_preview_does_not_disturb_a_run(qtbot, window, page, wait_for_preview):
    window.runner.start()
    assert window.session.run.state.is_active
    window.session.study.set_protocol(with_steps(binning=Binning(pixels=2)))
    qtbot.waitUntil(lambda: not window.session.run.state.is_active, timeout=PATIENCE_MS)
    assert window.session.run.state is RunState.FINISHED
    assert not page.isVisible(), "the preview page is visible during a run"
    window.pages.show("prepare")
    window.session.study.set_protocol(with_steps(binning=Binning(pixels=2), rings=Rings(use="off")))
    assert window.tabs.currentWidget() is page
    wait_for_preview()
    assert window.context.previews.preview.volume.values.shape == (1, 20, 20)


def test_volume_uses_the_detected_axis(window, wait_for_preview):
    study = window.session.study
    scan = study.inputs.scan
    assert not scan.needs_axis_search(tuple(study.modality.choices(study.protocol).values()))
    assert study.grid() == window.context.previews.preview.grid
    study.set_protocol(with_steps(centre=CentreOfRotation(method="moment")))
    assert "found from the scan" in window.steps[3]._result.text()
    wait_for_preview()
    assert "found from the scan" not in window.steps[3]._result.text()


def test_new_scan_removes_the_preview(window, page, wait_for_preview, small_study):
    window.commands.clear("data")
    assert window.context.previews.preview is None
    assert page.state.volume is None


def test_pet_scan_has_no_preview(window, page, opened):
    opened()
    assert not window.tabs.isTabVisible(window.tabs.indexOf(page))
    assert window.context.previews.preview is None


def test_iterative_ct_preview_shows_its_residual(qtbot, window, open_ct):  # noqa: F811
    open_ct()
    window.session.study.set_protocol(CtProtocol(algorithm=Sirt(iterations=4)))
    progress = window.tabs.widget(0)
    window.runner.start()
    session = window.session
    qtbot.waitUntil(lambda: session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
    assert [i for i, _ in session.run.record.curve] == [1, 2, 3, 4]
    values = [value for _, value in session.run.record.curve]
    assert 100 > values[0] > values[1] > values[2] > values[3] > 0
    assert session.run.record.provenance["relative_residuals"] == pytest.approx(
        [value / 100 for value in values]
    )
    window.page_panels.show_panel(0)
    assert progress.curve.isVisible()
    assert progress.curve._head.text() == "Residual ‖Ax − y‖ / ‖y‖ (%)"
    assert dict(progress._rows())["Residual"].endswith(" %")
