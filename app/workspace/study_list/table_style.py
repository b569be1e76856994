"""How tables of studies and orders look and are used: rows, chosen one at a time, not edited."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView


def set_up(view: QTableView, widths_px: Mapping[int, int], stretched: int) -> None:
    """Make a table one of rows; one column takes the room that the others leave."""
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.setWordWrap(False)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    head = view.horizontalHeader()
    head.setHighlightSections(False)
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    head.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
    for column, width in widths_px.items():
        view.setColumnWidth(column, width)
