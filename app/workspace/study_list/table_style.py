"""Common settings of the tables of studies and orders: whole rows, single selection, read-only."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView


def set_up(view: QTableView, widths_px: Mapping[int, int], stretched: int) -> None:
    """Set up a table.

    Parameters
    ----------
    view
        the table
    widths_px
        least width by column [px]; a wider title has room
    stretched
        column that takes the remaining width
    """
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    # File names differ at both ends, so their middle is elided.
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.setWordWrap(False)
    view.setShowGrid(False)
    # The Tab key leaves the table, as in other lists.
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    head = view.horizontalHeader()
    head.setHighlightSections(False)
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    head.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
    for column, width in widths_px.items():
        # A title in another language can be wider than the values.
        view.setColumnWidth(column, max(width, head.sectionSizeHint(column)))
