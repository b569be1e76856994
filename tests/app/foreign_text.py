"""Find foreign text that is not shown literally: markup that Qt renders, control characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

HOSTILE_NAME = "scan<b>x\u202egnp\x1b]0;t\x07\n\u2028end"
"""Name with markup, right-to-left override, a terminal command, and two kinds of line ends."""
MARK = "<b>x"
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\n(?=<U|end)"
)
"""Control characters of `engine.core.visible_text`, and line feeds of the test name."""
TIPS = ("toolTip", "statusTip", "whatsThis")


def faults_of(top: QWidget) -> list[str]:
    """Return one line for each foreign text that a widget or its children do not show literally."""
    widgets = [top, *top.findChildren(QWidget)]
    found = [fault for each in widgets for fault in _of_widget(each)]
    actions = [*top.actions(), *top.findChildren(QAction)]
    for action in actions:
        found += _faults(action, {"text": action.text()}, {"toolTip": action.toolTip()})
    return sorted(set(found))


def shows_foreign_text(top: QWidget) -> bool:
    """Return True if a widget shows the test name; otherwise a check would prove nothing."""
    return any(MARK in text.replace("\u200b", "") for text in _shown(top))


def _shown(top: QWidget) -> Iterator[str]:
    for each in (top, *top.findChildren(QWidget)):
        yield from _texts(each).values()
        if isinstance(each, QLabel):
            yield each.text().replace("&lt;", "<").replace("&gt;", ">")
        if isinstance(each, QAbstractItemView) and each.model() is not None:
            yield from (text for text, _ in _cells(each.model(), QModelIndex()))


def _of_widget(widget: QWidget) -> Iterator[str]:
    tips = {name: getattr(widget, name)() for name in TIPS}
    plain_texts = _texts(widget)
    if isinstance(widget, QLabel):
        is_plain = widget.textFormat() == Qt.TextFormat.PlainText
        (plain_texts if is_plain else tips)["text"] = widget.text()
    yield from _faults(widget, plain_texts, tips)
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        for text, tip in _cells(widget.model(), QModelIndex()):
            yield from _faults(widget, {"item": text}, {"tip of item": tip})


def _texts(widget: QWidget) -> dict[str, str]:
    """Return texts that Qt always shows as plain text."""
    found = {"title": widget.windowTitle(), "name": widget.accessibleName()}
    found["description"] = widget.accessibleDescription()
    if isinstance(widget, (QAbstractButton, QLabel)):
        found["text"] = widget.text()
    elif isinstance(widget, (QGroupBox, QMenu)):
        found["heading"] = widget.title()
    elif isinstance(widget, QLineEdit):
        found["placeholder"] = widget.placeholderText()
        # An editable field holds the exact value.
        found |= {"text": widget.text()} if widget.isReadOnly() else {}
    elif isinstance(widget, (QPlainTextEdit, QTextEdit)):
        found["text"] = widget.toPlainText()
    elif isinstance(widget, QComboBox):
        found |= {f"choice {k}": widget.itemText(k) for k in range(widget.count())}
    elif isinstance(widget, QTabBar):
        found |= {f"tab {k}": widget.tabText(k) for k in range(widget.count())}
    elif isinstance(widget, QDockWidget):
        found["dock"] = widget.windowTitle()
    # `_of_widget` checks labels by their text format.
    if isinstance(widget, QLabel):
        del found["text"]
    return found


def _cells(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[tuple[str, str]]:
    for row in range(min(model.rowCount(parent), 200)):
        # Qt hides the number of columns of a list.
        n_columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
        for column in range(n_columns):
            index = model.index(row, column, parent)
            texts = (
                index.data(role)
                for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
            )
            text, tip = (each if isinstance(each, str) else "" for each in texts)
            yield text, tip
            yield from _cells(model, index)


def _faults(
    owner: QObject, plain_texts: dict[str, str], rich_texts: dict[str, str]
) -> Iterator[str]:
    for kind, text in (plain_texts | rich_texts).items():
        # A line end in a name could imitate another line of the program.
        if text and (
            CONTROLS.search(text) or "\x07" in text or "\n\u2028" in text or "\nend" in text
        ):
            yield f"{type(owner).__name__} {kind}: {text[:60]!r}"
    for kind, text in rich_texts.items():
        if GuiQt.mightBeRichText(text) and MARK in text:
            yield f"{type(owner).__name__} {kind} is markup: {text[:60]!r}"
