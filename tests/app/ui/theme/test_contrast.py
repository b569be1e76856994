"""Controls can be seen: 3:1 between what marks a control and its ground, as painted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QMainWindow,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QScrollBar,
    QTabBar,
    QToolButton,
    QWidget,
)

from app.ui.forms.fields import QuietCombo
from app.ui.forms.number_box import NumberBox
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.theme import THEMES, Theme, contrast
from app.views.scrubber import TickSlider

SEEN = 3.0
"""WCAG 2.2, 1.4.11: what is needed to make out a control."""
FEWEST = 12
"""Pixels that make a mark."""


def tool_button(role: str) -> QToolButton:
    made = QToolButton()
    made.setText("Settings")
    made.setProperty("role", role)
    return made


def checked(button: QCheckBox | QRadioButton) -> QWidget:
    button.setChecked(True)
    return button


def tabs() -> QTabBar:
    made = QTabBar()
    made.addTab("One")
    made.addTab("Two")
    return made


def part_done() -> QProgressBar:
    made = QProgressBar()
    made.setTextVisible(False)
    made.setRange(0, 10)
    made.setValue(5)
    return made


def walked() -> TickSlider:
    made = TickSlider()
    made.setMaximum(5)
    made.setValue(2)
    return made


CONTROLS: dict[str, Callable[[], QWidget]] = {
    "radio": QRadioButton,
    "radio chosen": lambda: checked(QRadioButton()),
    "check": QCheckBox,
    "check set": lambda: checked(QCheckBox()),
    "combo": QuietCombo,
    "number": lambda: NumberBox(True, 0, 9),
    "line": QLineEdit,
    "button": QPushButton,
    "segment": lambda: tool_button("segment"),
    "small": lambda: tool_button("small"),
    "tabs": tabs,
    "progress": part_done,
    "slider": walked,
    "scroll bar": lambda: QScrollBar(Qt.Orientation.Vertical),
}


@pytest.fixture(params=THEMES)
def theme(request, qapp):
    made = Theme(qapp, request.param)
    yield made
    made.use("dark")


def seen_pixels(image: QImage, ground: str) -> int:
    """Return how many pixels stand out from the ground."""
    colours: dict[str, int] = {}
    for y in range(image.height()):
        for x in range(image.width()):
            name = QColor(image.pixel(x, y)).name()
            colours[name] = colours.get(name, 0) + 1
    return sum(n for name, n in colours.items() if contrast(name, ground) >= SEEN)


def painted(qtbot, control: QWidget) -> QImage:
    """Return a control as it stands in a panel, without the focus."""
    panel = QWidget()
    qtbot.addWidget(panel)
    control.setParent(panel)
    control.move(10, 10)
    control.resize(min(control.sizeHint().width(), 120), min(control.sizeHint().height(), 60))
    panel.resize(140, 80)
    panel.show()
    image = panel.grab(control.geometry()).toImage()
    image.setDevicePixelRatio(1)
    return image


@pytest.mark.parametrize("kind", CONTROLS)
def test_a_control_stands_out_from_its_ground(qtbot, theme, kind):
    control = CONTROLS[kind]()
    if isinstance(control, TickSlider):
        control.colours = view_colours(theme)
    image = painted(qtbot, control)
    assert seen_pixels(image, theme.colours.panel) >= FEWEST, kind


def test_nothing_is_seen_where_there_is_no_control(qtbot, theme):
    assert seen_pixels(painted(qtbot, QWidget()), theme.colours.panel) == 0


def test_what_is_dragged_between_the_panels_can_be_seen(qtbot, theme):
    from PySide6.QtWidgets import QDockWidget

    window = QMainWindow()
    qtbot.addWidget(window)
    dock = QDockWidget()
    dock.setTitleBarWidget(QWidget())
    dock.setWidget(QWidget())
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.setCentralWidget(QWidget())
    window.resize(200, 60)
    window.show()
    assert seen_pixels(window.grab().toImage(), theme.colours.panel) >= FEWEST


@pytest.mark.parametrize("name", THEMES)
def test_the_colours_of_marks_are_far_enough_from_their_grounds(name):
    c = THEMES[name]
    for mark in (c.border, c.link, c.accent):
        assert contrast(mark, c.panel) >= SEEN
    for mark in (c.border, c.accent):
        assert contrast(mark, c.field) >= SEEN
    for ground in (c.accent, c.accent_hover):
        assert contrast(c.on_accent, ground) >= SEEN, "the tick and the dot"


def test_a_theme_that_was_switched_to_looks_as_one_begun_with(qtbot, qapp, window):
    theme = window.context.theme
    first = window.grab().toImage()
    theme.toggle()
    other = window.grab().toImage()
    theme.toggle()
    qtbot.waitUntil(lambda: not theme.is_refreshing)
    assert window.grab().toImage() == first != other
