"""Facts of the scan, and the provenance of the image."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.theme.formatting import words
from app.ui.theme.glossary import meaning_of
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip, wrapping
from engine.core.visible_text import visible_line
from engine.data import Plain
from engine.io import fact_of

EMPTY = tr("No details yet. This tab shows the details of the scan and the provenance of an image.")
PADDING_PX = 8
"""Space on both sides of an item in the style sheet, which Qt leaves out of the width."""
Branch = Plain | list[Any] | tuple[Any, ...]


class FactsTab(QWidget):
    """Tree of names and values."""

    title = tr("Facts")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._study, self._run = context.session.study, context.session.run
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(tr("Scan details and image provenance"))
        self.tree.setIndentation(14)
        self.tree.setWordWrap(True)
        self.tree.setItemDelegateForColumn(1, _WrappedValues(self.tree))
        header = self.tree.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        # A new column width changes the number of lines of each wrapped text.
        header.sectionResized.connect(self.tree.scheduleDelayedItemsLayout)
        self.copy = button(tr("Copy as text"), self._copy, tr("Copy everything to the clipboard"))
        self._empty = label(EMPTY, "muted", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.addWidget(self._empty)
        column.addWidget(self.tree, 1)
        column.addWidget(self.copy)
        column.addStretch(0)
        self._study.inputs_changed.connect(self._show)
        self._run.record_changed.connect(self._show)
        self._shown: Branch | None = None
        self._show()

    def facts(self) -> Plain:
        """Return all facts by group."""
        study, run = self._study, self._run
        groups: Plain = {}
        scan = study.inputs.scan
        if scan is not None:
            groups["Scan"] = dict(scan.facts)
        if run.record.file_facts:
            groups["Image"] = dict(run.record.file_facts)
        # A dict removes duplicates and keeps the order: the run repeats the notes of its scan.
        notes = dict.fromkeys((*(scan.notes if scan is not None else ()), *run.record.notes))
        if notes:
            groups["Notes"] = list(notes)
        if run.record.warnings:
            groups["Warnings"] = list(dict.fromkeys(run.record.warnings))
        if run.record.provenance:
            groups["Provenance"] = run.record.provenance
        return groups

    def _show(self) -> None:
        facts = self.facts()
        # Signals come at each step of a run. Refilling the tree would close branches that
        # the user has opened.
        if facts == self._shown:
            return
        self._shown = facts
        self.tree.clear()
        for name, value in facts.items():
            top = QTreeWidgetItem([name])
            _fill(top, value)
            self.tree.addTopLevelItem(top)
            top.setFirstColumnSpanned(True)
            # The provenance has hundreds of lines and would hide the other groups.
            top.setExpanded(name != "Provenance" or len(facts) == 1)
        for widget in (self.tree, self.copy):
            widget.setVisible(bool(facts))
        self._empty.setVisible(not facts)

    def _copy(self) -> None:
        import json

        # JSON, because it keeps full precision and other programs can read it.
        text = json.dumps(self.facts(), indent=2, ensure_ascii=False, default=str)
        QGuiApplication.clipboard().setText(text)


class _WrappedValues(QStyledItemDelegate):
    """Give each row the height of its wrapped value. Trees of Qt compute it without a width."""

    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        bounded = QStyleOptionViewItem(option)
        bounded.rect = QRect(0, 0, self._tree.columnWidth(index.column()) - PADDING_PX, 1)
        return super().sizeHint(bounded, index)


def _fill(parent: QTreeWidgetItem, value: Branch) -> None:
    items = enumerate(value, 1) if isinstance(value, list | tuple) else value.items()
    for name, inner in items:
        # Short lists of numbers, such as a size, fit into one line.
        if isinstance(inner, dict | list | tuple) and inner and not _is_short(inner):
            child = QTreeWidgetItem([words(name)])
            _fill(child, inner)
        else:
            title, text = _fact(name, inner)
            child = QTreeWidgetItem([title, wrapping(visible_line(text))])
            child.setTextAlignment(0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            child.setToolTip(0, literal_tip(meaning_of(title)))
            child.setToolTip(1, literal_tip(text))
        parent.addChild(child)


def _fact(name: object, value: object) -> tuple[str, str]:
    """Return label and text of a leaf, with the unit from its key."""
    if isinstance(name, str) and isinstance(value, int | float) and not isinstance(value, bool):
        return fact_of(name, value)
    return words(name), _as_text(value)


def _is_short(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(v, int | float) for v in value)


def _as_text(value: object) -> str:
    if isinstance(value, list | tuple | dict):
        return ", ".join(_as_text(v) for v in value) or tr("none")
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if value not in (None, "") else tr("none")
