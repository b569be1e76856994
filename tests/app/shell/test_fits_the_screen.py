"""Tests that the window fits its screen with any file name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QWidget

from app.output.export.export_dialog import ExportDialog
from app.state.models.inputs import Input
from app.state.models.messages import Problem
from app.state.models.run_record import RunState
from app.ui.theme.widgets import fitted
from app.views.literal_text import BREAK, breakable, literal_tip
from app.views.slices.labels import WrappedLabel, shortened, shortened_words
from engine.data.formatting import MAX_UNIT_CHARACTERS
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.app.screen_laws import cut_labels

MIN_SCREEN = QSize(1024, 768)
LONG = "patient_0123456789_" + "w" * 232 + ".txt"
"""Name of 255 characters without spaces, the limit of file systems."""


def on_least_screen(window, state: str = "") -> None:
    """Assert that the smallest screen can show the window."""
    hint = window.minimumSizeHint()
    assert hint.width() <= MIN_SCREEN.width(), state
    assert hint.height() <= MIN_SCREEN.height() - 36
    assert window.minimumWidth() <= MIN_SCREEN.width()


def long_volume() -> Volume:
    grid = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
    return Volume(np.ones(grid.shape, np.float32), grid, "u" * MAX_UNIT_CHARACTERS)


def report(window) -> None:
    text = f"{LONG}: not a text file (byte 0 is 0xb7); {LONG} " * 9
    problem = Problem(f"{LONG} was not opened.", text, f"{LONG} stays open.", job="1", cpu_job="1")
    window.session.raise_problem(problem)


def open_long_names(window) -> None:
    for role in ("data", "scanner", "attenuation", "normalisation"):
        window.session.study.set_input(role, Input(LONG, text=f"scan {LONG}"))


def name_protocol(window) -> None:
    base = window.session.study.base.model_copy(update={"name": LONG})
    window.session.study.use_protocol(base)


def show_picture(window) -> None:
    window.session.show_file(long_volume(), LONG)


def run(window) -> None:
    window.session.run.begin(f"{LONG}, {LONG}")
    window.session.run.set_state(RunState.RUNNING)
    window.session.run.record.stage_text = f"Reading {LONG}"
    window.session.run.progress_changed.emit()


def remember(window) -> None:
    window.context.preferences.folder.mkdir(parents=True, exist_ok=True)
    scan = window.context.preferences.folder / LONG
    scan.write_text("")
    window.context.preferences.remember(scan)
    window.welcome_lists._show()


def busy(window) -> None:
    window.context.commands.busy_changed.emit(f"Reading {LONG}")
    window.status.flash(LONG)


STATES = (report, open_long_names, name_protocol, show_picture, run, remember, busy)


@pytest.fixture
def docks(window):
    """Return the window at its default size, and the widths of its panels."""
    window.resize(1440, 900)
    return lambda: (window.workflow_dock.width(), window.results_dock.width())


def test_long_names_do_not_widen_the_window_beyond_the_smallest_screen(qtbot, qapp, window, docks):
    on_least_screen(window)
    before = docks()
    for show in STATES:
        show(window)
        for step in window.steps:
            step.set_open(True)
        qapp.processEvents()
        on_least_screen(window, show.__name__)
        assert window.size() == QSize(1440, 900), show.__name__
        assert docks() == before, show.__name__
        cut = cut_labels(window)
        assert not cut, (show.__name__, cut)
    window.centre.message_bar.clear()
    window.session.run.set_state(RunState.IDLE)


def test_cut_label_is_found(qtbot):
    panel = QWidget()
    qtbot.addWidget(panel)
    label = QLabel("far too long for its place", panel)
    label.setGeometry(0, 0, 30, 20)
    panel.show()
    assert cut_labels(panel) == ["far too long for its place"]
    label.resize(400, 20)
    assert cut_labels(panel) == []


def test_export_dialog_of_an_image_with_a_long_name_fits(qtbot, window, tmp_path):
    show_picture(window)
    dialog = ExportDialog(window, window.session.run.record.images.items, 0, tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.minimumSizeHint().width() <= MIN_SCREEN.width()
    assert dialog.width() <= MIN_SCREEN.width()


def test_window_is_not_larger_than_its_screen():
    for screen in (QSize(1280, 720), QSize(1024, 768), QSize(800, 600)):
        size = fitted(QSize(1440, 900), screen)
        assert size.width() <= screen.width() and size.height() <= screen.height() - 30
    assert fitted(QSize(1440, 900), QSize(1920, 1080)) == QSize(1440, 900)


def test_panels_return_after_the_window_was_small(qtbot, qapp, window, docks):
    qapp.processEvents()
    before = docks()
    window.resize(window.minimumSize())
    qapp.processEvents()
    window.resize(1440, 900)
    qapp.processEvents()
    assert docks() == before


def test_long_words_break_without_changing_the_text():
    words = breakable(LONG)
    assert words != LONG and words.replace(BREAK, "") == LONG
    assert breakable("short words stay") == "short words stay"
    label = WrappedLabel(LONG)
    assert label.text() == LONG
    assert label.minimumSizeHint().width() < 200


def test_shortened_name_in_a_sentence_keeps_both_ends():
    words = shortened_words(f"{LONG}: not a text file", 48)
    name, _, rest = words.partition(": ")
    assert len(name) <= 49 and name.startswith("patient_0123456789_") and name.endswith(".txt")
    assert rest == "not a text file" and shortened_words(rest, 48) == rest


def test_message_leaves_space_for_the_views(qapp, window):
    window.resize(1276, 686)
    report(window)
    for _ in range(3):
        qapp.processEvents()
    bar = window.centre.message_bar
    assert cut_labels(bar) == []
    assert bar.height() < window.centre.height() / 2
    assert LONG in bar._title.toolTip().replace(BREAK, "")
    bar.clear()


def test_name_is_never_read_as_markup():
    assert "&lt;img src=x&gt;" in literal_tip("<img src=x>")
    assert (
        BREAK in literal_tip(str(Path("/") / LONG)) and literal_tip("Open a file") == "Open a file"
    )
    assert len(shortened(LONG, 60)) == 60 and shortened("short", 60) == "short"
