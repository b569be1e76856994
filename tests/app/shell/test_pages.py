"""Tests of the pages Prepare and Judge: when they are shown, and the space for the views."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from app.state.models.inputs import Input
from app.state.models.run_record import RunState
from app.views.literal_text import as_written
from engine.data import Tracer
from engine.data.runs.events import Corrected, Finished, Warned
from engine.data.runs.record import RecordedWarning
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.results import Results
from tests.app.conftest import PATIENCE_MS
from tests.app.screen_laws import faults_of
from tests.engine.run_records import recorded

CONTROLS = (
    *(QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox),
    *(QComboBox, QLineEdit),
)
MAX_CONTROLS = {"prepare": 25, "judge": 30}
SHARES = {(1440, 900): 0.65, (1280, 720): 0.55}


def controls_of(window: QWidget) -> list[str]:
    """Return the names of all visible controls, including each tab."""
    names = []
    for each in window.findChildren(QWidget):
        if not each.isVisible() or each.visibleRegion().isEmpty():
            continue
        if isinstance(each, QTabBar):
            names += [each.tabText(i) for i in range(each.count()) if each.isTabVisible(i)]
        elif isinstance(each, CONTROLS) and not is_part(each):
            words = each.text() if isinstance(each, QAbstractButton) else ""
            names.append(words or each.accessibleName() or each.toolTip())
    return names


def is_part(widget: QWidget) -> bool:
    """Return True if a widget belongs to another control."""
    inner = isinstance(widget.parent(), QComboBox | QAbstractSpinBox)
    return inner or isinstance(widget, QScrollBar) or widget.objectName().startswith("qt_")


def share_of_views(window) -> float:
    """Return the share of the window area that the views cover, without their controls."""
    panes = window.centre.views.panes
    assert panes.isVisible()
    return panes.width() * panes.height() / (window.width() * window.height())


@pytest.fixture
def judged(qtbot, opened, window):
    """Return the window after a run with warnings."""
    opened()
    window.runner.start()
    done = lambda: window.session.run.state is RunState.FINISHED and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(done, timeout=PATIENCE_MS)
    assert window.session.run.record.n_warnings > 0
    return window


@pytest.mark.parametrize("size", SHARES, ids=str)
def test_views_use_most_of_the_screen_after_a_run(qapp, judged, size):
    judged.resize(*size)
    for _ in range(3):
        qapp.processEvents()
    assert (judged.width(), judged.height()) == size
    assert share_of_views(judged) >= SHARES[size]
    names = controls_of(judged)
    assert len(names) <= MAX_CONTROLS["judge"], "; ".join(names)
    assert {"Accept", "Send", "Report …", "Next scan", "Run", "Results"} <= set(names)
    # this window is larger than the offscreen screen
    assert [each for each in faults_of(judged) if not each.startswith("off the screen")] == []


def test_page_follows_the_session_and_the_user(qtbot, opened, window, small_study):
    pages, switch = window.pages, window.header.switch
    assert pages.current == "prepare" and window.workflow_dock.isVisible()
    opened()
    assert pages.current == "prepare"
    window.runner.start()
    assert pages.current == "judge", "the page did not change at the start of the run"
    assert window.header.running.isVisible() and not window.workflow_dock.isVisible()
    done = lambda: window.session.run.state is RunState.FINISHED and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(done, timeout=PATIENCE_MS)
    assert pages.current == "judge" and window.header.judging.isVisible()
    switch.buttons["prepare"].click()
    assert pages.current == "prepare" and window.header.choice.start.isVisible()
    assert window.workflow_dock.isVisible() and not window.rail.isVisible()
    switch.buttons["prepare"].click()
    assert switch.buttons["prepare"].isChecked(), "a second click changed the page"
    switch.buttons["judge"].click()
    assert pages.current == "judge" and window.rail.isVisible()
    QTest.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert pages.current == "prepare"
    QTest.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert pages.current == "judge"
    opened(small_study)
    assert pages.current == "prepare", "a new scan did not open the page Prepare"


def test_panels_fold_into_the_rail_per_page(window, judged):
    rail, dock = window.rail, window.results_dock
    assert not dock.isVisible()
    rail.run.trigger()
    assert dock.isVisible() and window.tabs.currentWidget().title == "Progress"
    assert share_of_views(window) < 0.6, "the panel does not reduce the area of the views"
    results = next(each for each in rail.panel_actions if each.text() == "Results")
    results.trigger()
    assert window.tabs.currentWidget().title == "Results" and not rail.run.isChecked()
    window.pages.show("prepare")
    assert not dock.isVisible()
    window.pages.show("judge")
    assert dock.isVisible() and results.isChecked()
    results.trigger()
    assert not dock.isVisible()


def test_card_describes_the_run_and_counts_the_warnings(window, judged):
    card, record = window.header.judging, window.session.run.record
    assert card.title.full_text.startswith(f"{window.session.image_name} · small.h5")
    assert "OSEM, 3 iterations" in card.caption.full_text
    assert card.warnings.toggle.text() == f"{record.n_warnings} warnings"
    assert not card.warning_card.isVisible()
    card.warnings.toggle.click()
    QApplication.processEvents()
    assert card.warning_card.isVisible()
    before = share_of_views(window)
    for each in card.warnings.buttons.values():
        assert each.isVisible(), "a warning about a missing file has no visible button"
    card.warning_card.findChild(QAbstractButton).click()
    assert not card.warnings.toggle.isChecked() and share_of_views(window) == before


def test_live_scan_hides_the_card_of_an_earlier_run(window, judged):
    card = window.header.judging
    assert card.isVisible() and window.header.switch.isVisible()

    window.live.show()
    hidden = (card, card.send, card.report, window.header.choice, window.header.switch)
    assert not any(each.isVisible() for each in hidden)
    assert window.header.live.isVisible()

    window.live.leave()
    assert card.isVisible() and not window.header.live.isVisible()


def test_run_and_stored_result_show_the_same_number_of_warnings(qtbot, window, judged):
    """Prepare once showed none for a stored result, and repeated warnings counted twice."""
    card, record = window.header.judging, window.session.run.record
    n, texts = record.n_warnings, card.warnings.texts
    (stored,) = [each for each in Results().newest_first() if each.id == record.result_id]
    assert stored.record.run_record.n_warnings == n
    window.context.results.open(stored)
    shown = lambda: window.session.run.record is not record  # noqa: E731
    qtbot.waitUntil(shown, timeout=PATIENCE_MS)
    assert window.session.run.record.n_warnings == n
    assert card.warnings.texts == texts and card.warnings.toggle.text() == f"{n} warnings"


def test_warning_about_two_corrections_counts_once(window):
    run = window.session.run
    run.begin("small")
    for about in ("scatter", "randoms"):
        run.take(Warned("The scan is short.", about))
    warnings = [{"text": "The scan is short.", "about": each} for each in ("scatter", "randoms")]
    stored = recorded(warnings=tuple(RecordedWarning(**each) for each in warnings))
    assert run.record.n_warnings == stored.n_warnings == 1


def test_aborted_run_is_labelled_and_failed_run_is_an_error(window):
    image = Volume(np.ones((4, 4, 4), np.float32), ImageGrid((4, 4, 4), (2.0, 2.0, 2.0)), "Bq/mL")
    run, card = window.session.run, window.header.judging
    run.begin("small")
    assert card.title.full_text == "No image yet"
    for event in (
        Corrected("attenuation", "unavailable", "no file is given; load one"),
        Warned("The scan is short."),
        Finished(image, {}),
    ):
        run.take(event)
    assert card.warnings.toggle.text() == "2 warnings"
    run.set_state(RunState.ABORTED)
    assert card.title.full_text.endswith("aborted")
    run.forget()
    assert window.pages.current == "prepare" and card.title.full_text == "No image yet"


def test_run_without_an_image_leaves_the_previous_image(window, judged):
    card = window.header.judging
    assert card.title.full_text.startswith("Small · 3 it.")
    window.session.run.begin("small")
    window.session.run.set_state(RunState.FAILED)
    assert window.session.view.volume is not None
    assert card.title.full_text == "Previous image"


def test_underline_of_the_open_tab_is_visible_after_an_image_is_opened(qapp, window):
    image = Volume(np.ones((4, 4, 4), np.float32), ImageGrid((4, 4, 4), (2.0, 2.0, 2.0)), "Bq/mL")
    window.show()
    window.session.show_file(image, "image.nii.gz")
    qapp.processEvents()
    tabs = window.centre.tabs
    assert tabs.isVisible() and tabs.height() >= tabs.tabRect(tabs.currentIndex()).height()
    assert not [fault for fault in faults_of(window) if "tab " in fault]


def test_judgement_can_be_withdrawn_before_it_is_signed(window, judged):
    card = window.header.judging
    card.sign_off.judgement.buttons["not acceptable"].click()
    QApplication.processEvents()
    assert card.verdict_card.isVisible() and card.sign_off.remark.isVisible()
    assert card.sign_off.judgement.isVisible(), "the judgement buttons are hidden"
    card.verdict_card.findChild(QAbstractButton).click()
    assert card.sign_off.judgement.chosen is None and not card.verdict_card.isVisible()


@pytest.mark.parametrize("size", SHARES, ids=str)
def test_prepare_shows_few_controls_in_each_state(qapp, opened, window, size):
    window.resize(*size)
    qapp.processEvents()
    states = {"no scan": controls_of(window)}
    opened()
    qapp.processEvents()
    states["a scan"] = controls_of(window)
    assert {"Start", "Open another scan …", "Choose …"} <= set(states["a scan"])
    image = Volume(np.ones((8, 8, 8), np.float32), ImageGrid((8, 8, 8), (2.0, 2.0, 2.0)), "Bq/mL")
    window.session.show_file(image, "image.h5")
    window.pages.show("prepare")
    qapp.processEvents()
    states["an image"] = controls_of(window)
    for state, names in states.items():
        assert len(names) <= MAX_CONTROLS["prepare"], (state, names)
        assert names.count("Start") == 1, state
    assert [each for each in faults_of(window) if not each.startswith("off the screen")] == []


def test_inputs_appear_with_a_scan_and_missing_ones_have_a_button(opened, window):
    card = window.workflow.inputs
    assert not card.isVisible()
    opened()
    assert card.isVisible()
    shown = {key for key, row in card.needed.items() if row.isVisible()}
    assert shown == set(card.buttons) == {"normalisation", "attenuation", "calibration", "tracer"}
    asked: list[str] = []
    window.commands.choose_requested.disconnect()
    window.commands.choose_requested.connect(asked.append)
    card.buttons["normalisation"].click()
    assert asked == ["normalisation"]
    card.set_open(True)
    rows = window.workflow.scan.rows
    others = {key for key, row in rows.items() if row.isVisible()} - shown
    assert "triggers" in others and "response" not in others, (
        "the rows are not the inputs of this kind of scan"
    )


def test_changing_the_protocol_takes_one_click(opened, window):
    opened()
    card, study = window.workflow.protocol, window.session.study
    offered = card.others()
    assert 1 <= len(offered) <= 3 and study.base.name not in {each.text() for each in offered}
    name = offered[0].text()
    offered[0].click()
    assert study.base.name == name and card.summary == name
    assert window.header.choice.protocols.currentText() == name
    assert name not in {each.text() for each in card.others()}


def test_card_opens_the_form_of_its_step(opened, window):
    opened()
    work = window.workflow
    for card in work.cards:
        assert not card.is_open
        card.head.click()
        assert card.is_open
        card.head.click()
    algorithm = window.steps[2]
    algorithm.set_open(True)
    assert work.protocol.is_open and algorithm.isVisible(), "the card of the step stayed closed"
    assert window.header.choice.manage.isVisible() and window.header.choice.pin.isVisible()


def test_card_of_the_scan_has_dose_and_weight(opened, window):
    opened()
    card = window.workflow.scan
    tracer = Tracer(nuclide="F-18", dose_mbq=185, weight_kg=72)
    window.session.study.set_input("tracer", Input("tracer.toml", "F-18", tracer))
    words = [as_written(each.text()) for each in card.findChildren(QLabel) if each.isVisible()]
    assert any("185 MBq of F-18, 72 kg" in each for each in words)
    assert "tracer" not in window.workflow.inputs.buttons


def test_panels_have_names_below_their_icons_in_a_wide_window(qapp, judged):
    rail = judged.rail
    style, widths = Qt.ToolButtonStyle, []
    actions = (rail.run, rail.figures, *rail.panel_actions)
    widgets = [rail.widgetForAction(action) for action in actions if action.isVisible()]
    buttons = [each for each in widgets if each is not None]
    for size, shown in ((1280, style.ToolButtonTextUnderIcon), (1010, style.ToolButtonIconOnly)):
        judged.resize(size, 720)
        qapp.processEvents()
        assert {each.toolButtonStyle() for each in buttons} == {shown}
        assert {"Run", "Regions", "Report", "Results"} <= {each.text() for each in buttons}
        assert all(each.accessibleName() and each.toolTip() for each in buttons)
        widths.append(rail.width())
    assert widths[0] > widths[1]
    assert all(each.fontMetrics().horizontalAdvance(each.text()) <= widths[0] for each in buttons)
