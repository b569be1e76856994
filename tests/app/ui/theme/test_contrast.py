"""Test that painted controls have a contrast of at least 3:1 to their background."""

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

MIN_CONTRAST = 3.0
"""Minimum contrast of a control (WCAG 2.2, 1.4.11)."""
MIN_PIXELS = 12
"""Minimum number of pixels of a visible control."""


def tool_button(role: str) -> QToolButton:
    button = QToolButton()
    button.setText("Settings")
    button.setProperty("role", role)
    return button


def checked(button: QCheckBox | QRadioButton) -> QWidget:
    button.setChecked(True)
    return button


def tabs() -> QTabBar:
    bar = QTabBar()
    bar.addTab("One")
    bar.addTab("Two")
    return bar


def part_done() -> QProgressBar:
    bar = QProgressBar()
    bar.setTextVisible(False)
    bar.setRange(0, 10)
    bar.setValue(5)
    return bar


def walked() -> TickSlider:
    slider = TickSlider()
    slider.setMaximum(5)
    slider.setValue(2)
    return slider


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
    new_theme = Theme(qapp, request.param)
    yield new_theme
    new_theme.use("dark")


def seen_pixels(image: QImage, ground: str) -> int:
    """Return the number of pixels that differ visibly from the background."""
    colours: dict[str, int] = {}
    for y in range(image.height()):
        for x in range(image.width()):
            name = QColor(image.pixel(x, y)).name()
            colours[name] = colours.get(name, 0) + 1
    return sum(n for name, n in colours.items() if contrast(name, ground) >= MIN_CONTRAST)


def painted(qtbot, control: QWidget) -> QImage:
    """Return an image of a control in a panel, without the focus."""
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
def test_control_has_sufficient_contrast(qtbot, theme, kind):
    control = CONTROLS[kind]()
    if isinstance(control, TickSlider):
        control.colours = view_colours(theme)
    image = painted(qtbot, control)
    assert seen_pixels(image, theme.colours.panel) >= MIN_PIXELS, kind


def test_empty_area_has_no_visible_pixels(qtbot, theme):
    assert seen_pixels(painted(qtbot, QWidget()), theme.colours.panel) == 0


def test_splitter_between_the_panels_is_visible(qtbot, theme):
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
    assert seen_pixels(window.grab().toImage(), theme.colours.panel) >= MIN_PIXELS


@pytest.mark.parametrize("name", THEMES)
def test_colours_of_marks_have_sufficient_contrast(name):
    c = THEMES[name]
    for mark in (c.border, c.link, c.accent):
        assert contrast(mark, c.panel) >= MIN_CONTRAST
    for mark in (c.border, c.accent):
        assert contrast(mark, c.field) >= MIN_CONTRAST
    for ground in (c.accent, c.accent_hover):
        assert contrast(c.on_accent, ground) >= MIN_CONTRAST, (
            "the check mark or the radio dot has too little contrast"
        )


def test_switched_theme_looks_like_a_fresh_one(qtbot, qapp, window):
    theme = window.context.theme
    first = window.grab().toImage()
    theme.toggle()
    other = window.grab().toImage()
    theme.toggle()
    qtbot.waitUntil(lambda: not theme.is_refreshing)
    assert window.grab().toImage() == first != other
