"""Find faults of screens: cut, unnamed, overlapping or illegible texts, missing tooltips."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from app.ui.forms.fields import Editor
from app.ui.theme.theme import luminance
from app.ui.theme.widgets import fitted
from app.views.colour.raster_view import RasterView
from app.views.note import Note
from app.views.slices.labels import ElidedLabel, WrappedLabel
from tests.app.views.painted import Painted, painted

READABLE = 4.5
"""WCAG 2.2 AA for text."""
BUTTON_PAD_PX = 6
"""Minimum margin around the text of a button."""
ARROW_PX = 30
"""Width of a combo box's arrow and frame."""
FEW = 12
"""Number of brightest and darkest colours to compare."""
TOUCH_PX = 1
"""Allowed overlap of adjacent widgets."""


def faults_of(inside: QWidget) -> list[str]:
    """Return all faults of a window or dialog in its current state, one line each."""
    found = {
        "cut": cut_labels(inside) + cut_controls(inside),
        "unnamed": unnamed(inside),
        "without a tip": without_tips(inside) if isinstance(inside, QMainWindow) else [],
        "overlap": overlapping(inside) + painted_over(inside),
        "unreadable": unreadable(inside),
        "too wide": too_wide(inside),
        "off the screen": off_the_screen(inside),
    }
    return [f"{what}: {each}" for what, faults in found.items() for each in faults]


def cut_labels(inside: QWidget) -> list[str]:
    """Return the texts of visible labels that are cut off without an ellipsis."""
    return [
        label.text()
        for label in inside.findChildren(QLabel)
        if label.isVisible() and label.text() and _is_cut(label)
    ]


def _is_cut(label: QLabel) -> bool:
    area = label.contentsRect()
    if isinstance(label, WrappedLabel) or label.wordWrap():
        return label.heightForWidth(label.width()) > label.height() + 1
    if isinstance(label, ElidedLabel) and label.text() != label.full_text and not label.toolTip():
        return True
    words = max(label.text().split("\n"), key=len).replace("&" if label.buddy() else "\0", "")
    return QFontMetricsF(label.font()).horizontalAdvance(words) > area.width() + 1


def cut_controls(inside: QWidget) -> list[str]:
    """Return the texts of visible buttons, tabs and boxes that are cut and have no tooltip."""
    faults = []
    for each in inside.findChildren(QWidget):
        if not each.isVisible():
            continue
        if isinstance(each, QPushButton | QToolButton) and each.text() and not _shows_icon(each):
            words = _width(each, each.text().replace("&", ""))
            icon = 0 if each.icon().isNull() else each.iconSize().width()
            if is_under_icon(each):
                icon = 0  # its text has the full width
            if words + icon + BUTTON_PAD_PX > each.width():
                faults.append(each.text())
        elif isinstance(each, QTabBar):
            faults += [f"tab {each.tabText(i)}" for i in _cut_tabs(each)]
        elif isinstance(each, QComboBox) and not each.toolTip() and _is_cut_choice(each):
            faults.append(each.currentText())
    return faults


def _is_cut_choice(box: QComboBox) -> bool:
    return _width(box, box.currentText()) + ARROW_PX > box.width()


def _shows_icon(button: QAbstractButton) -> bool:
    """Return True if a button shows only its icon."""
    style = Qt.ToolButtonStyle.ToolButtonIconOnly
    return isinstance(button, QToolButton) and button.toolButtonStyle() is style


def is_under_icon(button: QAbstractButton) -> bool:
    """Return True if the text of a button is below its icon."""
    style = Qt.ToolButtonStyle.ToolButtonTextUnderIcon
    return isinstance(button, QToolButton) and button.toolButtonStyle() is style


def _cut_tabs(bar: QTabBar) -> list[int]:
    """Return the tabs that are not completely visible."""
    rects = [(i, bar.tabRect(i)) for i in range(bar.count()) if bar.isTabVisible(i)]
    # A bar below its height cuts off the underline of the open tab.
    is_low = {i: rect.height() > bar.height() for i, rect in rects}
    return [i for i, rect in rects if rect.left() < 0 or rect.right() > bar.width() or is_low[i]]


def _width(widget: QWidget, text: str) -> float:
    return QFontMetricsF(widget.font()).horizontalAdvance(text)


def unnamed(inside: QWidget) -> list[str]:
    """Return the classes of widgets in the tab order that have no accessible name."""
    return [
        f"{type(each).__name__} {each.objectName()}"
        for each in inside.findChildren(QWidget)
        if each.isVisible() and _is_reached(each) and not _name_of(each)
    ]


def _is_reached(widget: QWidget) -> bool:
    inner = isinstance(widget.parent(), QAbstractSpinBox | QComboBox)
    own = widget.focusProxy() is None and not widget.objectName().startswith("qt_")
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and own and not inner


def _name_of(widget: QWidget) -> str:
    if isinstance(widget, QTabWidget):
        return widget.tabText(0)
    words = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    return widget.accessibleName() or words


def without_tips(inside: QWidget) -> list[str]:
    """Return the texts of visible buttons without a tooltip; dialog buttons need none."""
    return [
        each.text() or type(each).__name__
        for each in inside.findChildren(QAbstractButton)
        if each.isVisible() and not _tip_of(each) and not _is_anonymous(each)
    ]


def _tip_of(button: QAbstractButton) -> str:
    """Return the tooltip of a button: its own, or that of its editor."""
    parent = button.parent()
    return button.toolTip() or (parent.toolTip() if isinstance(parent, Editor) else "")


def _is_anonymous(button: QAbstractButton) -> bool:
    is_own = button.objectName().startswith("qt_")
    return is_own or isinstance(button.parent(), QDialogButtonBox | QComboBox)


def overlapping(inside: QWidget) -> list[str]:
    """Return pairs of overlapping texts and controls, and widgets outside their parents."""
    faults = []
    for parent in (inside, *inside.findChildren(QWidget)):
        if not parent.isVisible() or isinstance(parent, RasterView | QAbstractSpinBox | QComboBox):
            continue
        children = [
            each
            for each in parent.children()
            if isinstance(each, QLabel | QAbstractButton | QLineEdit | QComboBox | QAbstractSpinBox)
            and each.isVisible()
            and not each.isWindow()
            and not isinstance(each, Note)
            and not each.objectName().startswith("qt_")
        ]
        for one, other in combinations(children, 2):
            shared = one.geometry().intersected(other.geometry())
            if shared.width() > TOUCH_PX and shared.height() > TOUCH_PX:
                faults.append(f"{_called(one)} and {_called(other)}")
    return faults


def _called(widget: QWidget) -> str:
    return repr(words_of(widget)[:40] or widget.accessibleName() or type(widget).__name__)


def painted_over(inside: QWidget) -> list[str]:
    """Return pairs of overlapping texts in visible views, and texts that an edge cuts."""
    faults = []
    for view in inside.findChildren(RasterView):
        if view.isVisible() and view.state.volume is not None:
            found = painted(view)
            wrong = words_over(found) + words_beyond(found, view)
            faults += [f"{view.accessibleName()}: {each}" for each in wrong]
    return faults


def words_over(found: Painted) -> list[str]:
    """Return pairs of painted texts that overlap."""
    return [
        f"{one.words!r} and {other.words!r}"
        for one, other in combinations(found.texts, 2)
        if one.box.intersects(other.box)
    ]


def words_beyond(found: Painted, view: QWidget) -> list[str]:
    """Return the painted texts that an edge of a view cuts."""
    area = view.rect().toRectF()
    return [f"{each.words!r} is cut" for each in found.texts if not area.contains(each.box)]


def unreadable(inside: QWidget) -> list[str]:
    """Return the texts of visible labels and buttons with too little contrast."""
    image = inside.grab().toImage()
    ratio, faults = image.devicePixelRatio(), []
    for each in inside.findChildren(QWidget):
        text = each.text() if isinstance(each, QLabel | QAbstractButton) else ""
        if (
            not text
            or (isinstance(each, QToolButton) and _shows_icon(each))
            or not each.isVisible()
            or each.window() is not inside.window()  # a floating panel has separate screenshots
            or not each.isEnabled()
        ):
            continue
        part = _seen_part(inside, each)
        if part.height() == each.height():  # otherwise part of it is scrolled out of view
            best = contrast_in(_cropped(image, part, ratio))
            if best < READABLE:
                faults.append(f"{_called(each)} {best:.1f}:1")
    return faults


def words_of(widget: QWidget) -> str:
    """Return the text that a label, button or field shows."""
    if isinstance(widget, QLineEdit):
        return widget.text() or widget.placeholderText()
    if isinstance(widget, QLabel | QAbstractButton):
        return widget.text()
    return widget.currentText() if isinstance(widget, QComboBox) else ""


def _seen_part(inside: QWidget, widget: QWidget) -> QRect:
    """Return the part of a widget that is not scrolled out of view, in window coordinates [px]."""
    visible = widget.visibleRegion().boundingRect()
    return visible.translated(widget.mapTo(inside, QPoint()))


def _cropped(image: QImage, part: QRect, ratio: float) -> NDArray[np.uint32]:
    edges = (part.x(), part.y(), part.width(), part.height())
    copy = image.copy(*(round(edge * ratio) for edge in edges))
    copy = copy.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(copy.constBits(), np.uint32)
    return pixels & 0xFFFFFF


def contrast_in(pixels: NDArray[np.uint32]) -> float:
    """Return the best contrast of a colour "0xRRGGBB" to the most frequent one (WCAG 2.2)."""
    colours, counts = np.unique(pixels, return_counts=True)
    ground = luminance(f"#{colours[counts.argmax()]:06x}")
    others = [luminance(f"#{colour:06x}") for colour in colours[_few(colours)]]
    return max((max(ground, each) + 0.05) / (min(ground, each) + 0.05) for each in others)


def _few(colours: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Return the indices of the brightest and darkest colour; one has the best contrast."""
    green = colours >> 8 & 0xFF
    order = np.argsort((colours >> 16) + 3 * green + (colours & 0xFF))
    return np.concatenate([order[:FEW], order[-FEW:]])


def contrast_of(fault: str) -> float:
    """Return the contrast that a fault of `unreadable` states."""
    return float(fault.rpartition(" ")[2].removesuffix(":1"))


def too_wide(inside: QWidget) -> list[str]:
    """Return widgets that are wider than their scroll area."""
    never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    return [
        f"{type(area.parent()).__name__}: {area.widget().minimumSizeHint().width()} px"
        for area in inside.findChildren(QScrollArea)
        if area.isVisible()
        and area.horizontalScrollBarPolicy() is never
        and area.widget().minimumSizeHint().width() > area.viewport().width()
    ]


def off_the_screen(window: QWidget) -> list[str]:
    """Return the size or minimum size of a window if it exceeds its screen."""
    available = window.screen().availableSize()
    needed = window.minimumSizeHint().expandedTo(window.minimumSize())
    sizes = {"is": window.size(), "needs": needed}
    return [
        f"{verb} {size.width()} x {size.height()}"
        for verb, size in sizes.items()
        if fitted(size, available) != size and size != available
    ]


def is_on(screen: QSize, dialog: QWidget) -> bool:
    """Return True if a dialog with its frame fits a screen of this size."""
    needed = dialog.minimumSizeHint().expandedTo(dialog.minimumSize())
    return fitted(needed, screen) == needed
