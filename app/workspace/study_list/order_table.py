"""Worklist orders as a table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QTableWidget, QTableWidgetItem

from app.language.translation import tr
from app.views.literal_text import literal_tip
from app.workspace.study_list.table_style import set_up
from engine.core.visible_text import visible_line
from engine.jobs.study_index import ImagingOrder, day_of

COLUMNS = (
    *(tr("Scheduled"), tr("Patient"), tr("Patient ID"), tr("Date of birth"), tr("Modality")),
    tr("Procedure"),
    tr("Accession"),
)
WHAT = 5
WIDTHS_PX = {0: 150, 1: 160, 2: 90, 3: 90, 4: 50, 6: 100}
NOBODY = "–"


class OrderTable(QTableWidget):
    """A row per order."""

    def __init__(self) -> None:
        super().__init__(0, len(COLUMNS))
        self.orders: Sequence[ImagingOrder] = ()
        self.setAccessibleName(tr("Orders"))
        self.setHorizontalHeaderLabels(COLUMNS)
        set_up(self, WIDTHS_PX, WHAT)

    @property
    def current(self) -> ImagingOrder | None:
        """The selected order; None if there is none."""
        rows = self.selectionModel().selectedRows()
        return self.orders[rows[0].row()] if rows else None

    def take(self, orders: Sequence[ImagingOrder]) -> None:
        """Show orders.

        Parameters
        ----------
        orders
            replace the current ones
        """
        # A selection by row number would otherwise move to another patient.
        self.clearSelection()
        self.orders = orders
        self.setRowCount(len(orders))
        for row, order in enumerate(orders):
            for column, text in enumerate(cells_of(order)):
                # An empty cell could be confused with a missing column of the node.
                item = QTableWidgetItem(visible_line(text) or NOBODY)
                item.setToolTip(literal_tip(text))
                self.setItem(row, column, item)


def cells_of(order: ImagingOrder) -> tuple[str, ...]:
    """Return the texts of a row.

    Parameters
    ----------
    order
        the order

    Returns
    -------
    one text per column; "" if the order does not state it
    """
    return (
        f"{order.when:%Y-%m-%d %H:%M}" if order.when is not None else "",
        order.name,
        order.patient_id,
        _format_day(order.birth_date),
        order.modality,
        order.what,
        order.accession,
    )


def _format_day(digits: str) -> str:
    """Format a DICOM date (DA); invalid text is returned unchanged."""
    day = day_of(digits)
    return digits if day is None else f"{day:%Y-%m-%d}"
