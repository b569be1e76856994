"""Table of the widths that were measured with point sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from app.language.translation import tr
from app.ui.theme.formatting import count
from app.views.text import with_error

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.resolution import PointSource

COLUMNS = (
    tr("Distance [mm]"),
    tr("Radial [mm]"),
    tr("Tangential [mm]"),
    tr("Axial [mm]"),
    tr("Lines of response"),
)
WIDTHS = tr("Full widths at half maximum with their standard errors, by distance from the axis")
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class WidthTable(QTableWidget):
    """One row for each source: distance from the axis, widths with errors, lines."""

    def __init__(self) -> None:
        super().__init__(0, len(COLUMNS))
        self.setHorizontalHeaderLabels(COLUMNS)
        self.setAccessibleName(WIDTHS)
        self.verticalHeader().hide()
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setDefaultAlignment(RIGHT)

    def show_sources(self, sources: Sequence[PointSource]) -> None:
        """Show the sources in their order.

        Parameters
        ----------
        sources
            measured sources; none empties the table
        """
        self.setRowCount(len(sources))
        for row, source in enumerate(sources):
            widths = source.radial_mm, source.tangential_mm, source.axial_mm
            texts = (
                f"{source.radius_mm:.1f}",
                *(with_error(w, e) for w, e in zip(widths, source.errors_mm, strict=True)),
                count(source.n_lines),
            )
            for column, text in enumerate(texts):
                cell = QTableWidgetItem(text)
                cell.setTextAlignment(RIGHT)
                self.setItem(row, column, cell)
