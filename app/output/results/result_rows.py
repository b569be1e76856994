"""Rows of the list of results, which make their texts on demand."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.output.results.result_text import lines_of, tip_of
from app.state.models.result_list import ResultList
from app.views.literal_text import literal_tip
from engine.core.visible_text import visible_line

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class ResultRows(QAbstractListModel):
    """One row for each result; hundreds of results need no items in memory.

    Parameters
    ----------
    results : results on disk
    parent : owner
    """

    def __init__(self, results: ResultList, parent: QObject) -> None:
        super().__init__(parent)
        self._results = results
        results.changed.connect(self._reset)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._results.items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        # A view can ask between a change of the results and the reset
        if not 0 <= index.row() < len(self._results.items):
            return None
        result = self._results.items[index.row()]
        name = self._results.names[result.id]
        # The text is for screen readers; the delegate paints the result itself
        if role == Qt.ItemDataRole.DisplayRole:
            return visible_line(", ".join(lines_of(result, name)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return literal_tip(tip_of(result, name))
        return None

    def _reset(self) -> None:
        self.beginResetModel()
        self.endResetModel()
