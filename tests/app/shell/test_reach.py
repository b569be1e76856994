"""Test that every control takes at most two clicks from its page.

The tables list the controls of the earlier single-page window, with the clicks to each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)

from app.shell.page.pages import Page
from tests.app.shell.test_pages import CONTROLS, is_part, judged  # noqa: F401

pytestmark = pytest.mark.essential

ON_PREPARE: dict[int, tuple[str, ...]] = {
    0: (
        *("Open another scan …", "Protocol", "Fast", "Standard", "Fine", "Start"),
        *("CPU, 2 threads", "Log", "Prepare", "Judge"),
    ),
    1: (
        # File, Edit, Run, View and Help
        *("Open …", "Open folder …", "Studies …", "Import …", "Live …", "Save study …"),
        *("Save protocol as …", "Export …", "Report …", "Include file names in output"),
        *("Storage …", "Settings …", "Technician mode", "Quit", "Undo change", "Redo change"),
        *("Finish and keep", "Pause", "Abort", "Add to queue", "Queue …"),
        *("Create a normalisation …", "Calibrate to Bq/mL …", "Measure the resolution …"),
        *("Tune this machine …", "Views only", "Light or dark theme", "Detach steps"),
        *("Detach results", "Guide", "Help and shortcuts", "Save support bundle …"),
        "About Isocenter",
        # the cards
        *("Protocols", "Pin this protocol", "Clear: Scan", "Replace … Scan", "Scanner"),
        *("Choose … Normalisation", "Create … Normalisation", "Choose … μ-map"),
        *("Choose … Measured resolution", "Measure … Measured resolution"),
        *("Choose … Calibration", "Measure … Calibration", "Choose … Tracer and dose"),
        *("Fill in … Tracer and dose", "Choose … Trigger times", "Use: Time of flight"),
        # panels, opened from the View menu
        *("Progress", "Profile", "Facts", "Measure", "Regions", "Report", "Results"),
    ),
    2: (
        *("Algorithm", "Iterations", "Subsets", "Updates", "Frames", "Expert settings"),
        *("Voxel size (mm), x", "Diameter (mm)", "Length (mm)", "Centre (mm), x"),
        *("Finishing", "Add filter", "Between iterations", "Error map"),
    ),
}
ON_JUDGE: dict[int, tuple[str, ...]] = {
    0: (
        *("Accept", "Remarks", "Reject", "Send", "Report …", "Next scan", "Volume", "Planes"),
        *("Second volume: Second volume …", "View", "Colour map", "Window presets"),
        *("Lower window limit", "Upper window limit", "Radiological", "Iteration"),
        *("Slab", "Movie", "Layout", "Tools", "Run", "Regions", "Report", "Results"),
    ),
    1: (
        *(
            "Magnifier",
            "Distance",
            "Angle",
            "Arrow",
            "Text",
            "Curve",
            "Automatic",
            "Histogram …",
            "Log",
        ),
        *("Interpolate between voxels\tI", "Copy all views\tCtrl+C", "Export …"),
        *("Progress", "Profile", "Facts", "Measure", "Use settings", "More", "Open"),
        "Add to the report\tE",
    ),
    # by its title in the open panel, or from the View menu
    2: ("Phantom",),
}
MAX_CLICKS = 2


def names_now(window) -> set[str]:
    """Return the names of the visible controls, including those that need scrolling."""
    tabs = window.centre.tabs
    shown = [i for i in range(tabs.count()) if tabs.isVisible() and tabs.isTabVisible(i)]
    found = {tabs.tabText(i) for i in shown}
    for each in window.findChildren(QWidget):
        if isinstance(each, CONTROLS) and each.isVisible() and not is_part(each):
            words = each.text() if isinstance(each, QAbstractButton) else ""
            found |= {words, each.accessibleName(), each.toolTip()}
    return found - {""}


def entries_of(menu: QMenu) -> set[str]:
    """Return the entries of an open menu."""
    menu.aboutToShow.emit()
    return {each.text() for each in menu.actions()}


def openers(window, depth: int) -> Iterator[Callable[[], set[str]]]:
    """Yield a function for each target of the next click; it returns the names that appear."""

    def after(toggle: Callable[[], object]) -> set[str]:
        toggle()
        QApplication.processEvents()
        found = names_now(window)
        return found

    for action in window.menuBar().actions():
        yield partial(entries_of, action.menu())
    for button in window.findChildren(QPushButton) + window.findChildren(QToolButton):
        if button.isVisible() and button.menu() is not None and button is not window.header.device:
            yield partial(entries_of, button.menu())
    if window.pages.current == "prepare":
        for step in (*window.workflow.cards, *window.steps[2:]):
            if step.head.isVisible() and not step.is_open:
                yield partial(after, step.head.click)
    else:
        for panel in (window.rail.run, window.rail.figures, *window.rail.panel_actions):
            is_one_click = window.rail.widgetForAction(panel) is not None
            # The View menu and an entry: two clicks for every panel.
            if (is_one_click or depth == MAX_CLICKS) and not panel.isChecked():
                yield partial(after, panel.trigger)


def reach_of(window, clicks: int) -> dict[str, int]:
    """Return the minimum number of clicks to each name."""
    known = dict.fromkeys(names_now(window), 0)
    for depth in range(1, clicks + 1):
        for opens in list(openers(window, depth)):
            for name in opens():
                known.setdefault(name, depth)
    return known


@pytest.mark.parametrize(("page", "table"), [("prepare", ON_PREPARE), ("judge", ON_JUDGE)])
def test_every_earlier_control_takes_at_most_two_clicks(window, judged, page: Page, table):  # noqa: F811
    window.resize(1440, 900)
    window.pages.show(page)
    QApplication.processEvents()
    found = reach_of(window, MAX_CLICKS)
    assert max(table) <= MAX_CLICKS
    wrong = {
        name: (clicks, found.get(name))
        for clicks, names in table.items()
        for name in names
        if found.get(name, MAX_CLICKS + 1) > clicks
    }
    assert wrong == {}


def test_every_action_of_the_window_is_in_a_menu(window):
    """Demos are in a submenu, which takes two clicks."""
    menus = [action.menu() for action in window.menuBar().actions()]
    inner = [each.menu() for menu in menus for each in menu.actions() if each.menu() is not None]
    listed = {each for menu in (*menus, *inner) for each in menu.actions()}
    actions: dict[str, QAction] = window.actions_.named()
    assert {name for name, each in actions.items() if each not in listed} == set()
