"""Tests of the scrubber, which steps through iterates."""

import pytest
from PySide6.QtCore import Qt

from app.views.scrubber import IterationScrubber

LABELS = [f"iteration {i} of 4" for i in range(1, 5)]


@pytest.fixture
def scrubber(show):
    scrubber = show(IterationScrubber(), 500, 40)
    scrubber.set_iterates(LABELS)
    return scrubber


def test_scrubber_starts_at_the_newest_iterate(scrubber):
    assert scrubber.current() == 3
    assert scrubber.is_live
    assert scrubber.text() == "Iteration 4 of 4"


def test_scrubber_follows_new_iterates_while_live(scrubber, qtbot):
    with qtbot.waitSignal(scrubber.iterate_selected, timeout=1000) as signal:
        scrubber.append("iteration 5")
    assert signal.args == [4]
    assert scrubber.is_live


def test_scrubber_stays_at_the_selected_iterate(scrubber, qtbot):
    scrubber.step(-2)
    with qtbot.assertNotEmitted(scrubber.iterate_selected):
        scrubber.append("iteration 5")
    assert scrubber.text() == "Iteration 2 of 4"
    assert scrubber.latest.isEnabled()


def test_latest_button_resumes_following(scrubber, qtbot):
    scrubber.step(-2)
    qtbot.mouseClick(scrubber.latest, Qt.MouseButton.LeftButton)
    assert scrubber.is_live
    scrubber.append("iteration 5")
    assert scrubber.current() == 4


@pytest.mark.parametrize(("key", "index"), [("[", 2), ("]", 3)])
def test_bracket_keys_step(scrubber, qtbot, key, index):
    scrubber.activateWindow()
    qtbot.keyClick(scrubber.slider, key)
    assert scrubber.current() == index


def test_click_on_a_dot_selects_it(scrubber, qtbot):
    at = scrubber.slider.centre_of(1).toPoint()
    with qtbot.waitSignal(scrubber.iterate_selected, timeout=1000) as signal:
        qtbot.mouseClick(scrubber.slider, Qt.MouseButton.LeftButton, pos=at)
    assert signal.args == [1]


def test_steps_stop_at_the_ends(scrubber):
    scrubber.step(-99)
    assert scrubber.current() == 0
    scrubber.step(99)
    assert scrubber.current() == 3


def test_new_run_signals_its_last_iterate_once(scrubber, qtbot):
    message = []
    scrubber.iterate_selected.connect(message.append)
    scrubber.set_iterates(LABELS[:2])
    assert message == [1]


def test_scrubber_without_iterates_shows_a_placeholder(scrubber):
    scrubber.set_iterates([])
    assert scrubber.current() == -1
    assert scrubber.text() == "No iterations yet"
    assert not scrubber.slider.isEnabled()
    scrubber.set_iterates([], "The last image")
    assert scrubber.text() == "The last image"
    scrubber.append("iteration 1 of 4")
    assert scrubber.current() == 0


def test_label_is_shown_as_given(scrubber):
    scrubber.set_iterates(["iteration 21 of 40", "iteration 32 of 40"])
    assert scrubber.text() == "Iteration 32 of 40", "the total is not that of the label"
    scrubber.append("final")
    assert scrubber.text() == "Final"
