"""The Derenzo phantom panel: resolved rods by size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.analysis.measure.line_profile_panel import SAVE
from app.language.translation import tr
from app.state.models.session import Session
from app.ui.forms.fields import QuietCombo
from app.ui.theme.glossary import meaning_of
from app.ui.theme.widgets import button, label, remove_widgets, set_tone
from app.views.colour.window_controls import NumberEdit
from app.views.literal_text import literal_tip
from engine.core.errors import GeometryError
from engine.data import Volume
from engine.modalities import ScanSummary

RADIUS_MM = 20.0
SETTLE_MS = 60
MAX_DIAMETER_MM = 10.0
"""Valley-to-peak ratios from this value on have no meaning."""
AXIS_NAMES = "xyz"
AXES = {"y": tr("Rods perpendicular to the panels (y)"), "z": tr("Rods along z")}


@dataclass(frozen=True)
class RodRow:
    """Rods of one size.

    Attributes
    ----------
    diameter_mm : diameter of a rod [mm]
    valley : valley-to-peak ratio; None if there is no contrast
    resolved : True if neighbouring rods are resolved
    """

    diameter_mm: float
    valley: float | None
    resolved: bool


def table_of(volume: Volume, radius_mm: float, along: Any) -> list[RodRow]:
    """Measure the rods of a Derenzo phantom in the centre of an image, the widest first.

    Parameters
    ----------
    volume
        image of the phantom
    radius_mm
        radius of the phantom [mm]
    along
        axis of the rods, "y" or "z"
    """
    from engine.analysis.quality import RESOLVED_BELOW, derenzo_sectors, valley_to_peak

    rows = []
    for sector in derenzo_sectors(radius_mm=radius_mm):
        try:
            with np.errstate(divide="ignore", invalid="ignore"):  # the table states "no contrast"
                found = valley_to_peak(volume, sector, along=along)
        except GeometryError:
            continue  # a small phantom may have no two rods of the largest size
        message = found if 0 <= found < MAX_DIAMETER_MM else None
        rows.append(
            RodRow(sector.diameter_mm, message, message is not None and message < RESOLVED_BELOW)
        )
    return rows


def csv_of(rows: list[RodRow]) -> str:
    """Return the table as CSV text."""
    lines = [
        f"{row.diameter_mm:g},{'' if row.valley is None else f'{row.valley:.4f}'},"
        f"{'yes' if row.resolved else 'no'}"
        for row in rows
    ]
    return "\n".join(["rod diameter [mm],valley / peak,resolved", *lines]) + "\n"


class RodsBox(QWidget):
    """Table of resolved rods, active if the scan or the user states a Derenzo phantom."""

    def __init__(self, session: Session, save: SAVE) -> None:
        super().__init__()
        self._session, self._save = session, save
        self._study = session.study
        self.is_derenzo = QCheckBox(tr("This is a Derenzo phantom"))
        self.is_derenzo.setToolTip(
            tr(
                "A phantom in the centre of the image, with rod diameters of 2.4, 2.0, "
                "1.7, 1.35, 1.0 and 0.75 mm. The largest rods are towards +x. The centres "
                "of adjacent rods are two diameters apart."
            )
        )
        self.axis = QuietCombo()
        self.axis.setAccessibleName(tr("Direction of the rods"))
        for key, text in AXES.items():
            self.axis.addItem(text, key)
        self.radius = NumberEdit(tr("Radius of the phantom [mm]"))
        self.radius.show_value(RADIUS_MM)
        self.csv = button(tr("Save as CSV …"), self._write, tr("Save the table"))
        self.rows: list[RodRow] = []
        self._inside = QWidget()
        self._lay_out()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SETTLE_MS)
        self._soon.timeout.connect(self.refresh)
        self.is_derenzo.toggled.connect(self.refresh)
        self.axis.activated.connect(self.refresh)
        self.radius.changed.connect(self.refresh)
        # Iterates can arrive faster than the rods are measured; restarting the timer skips some.
        session.view.volume_changed.connect(self._soon.start)
        session.study.inputs_changed.connect(self._follow_scan)
        self._scan: ScanSummary | None = None
        self._follow_scan()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _lay_out(self) -> None:
        size = QHBoxLayout()
        size.addWidget(label(tr("Radius"), "caption"))
        size.addWidget(self.radius)
        size.addWidget(label("mm", "muted"))
        size.addStretch(1)
        self._table = QGridLayout()
        self._table.setVerticalSpacing(3)
        self._table.setColumnStretch(2, 1)
        self._note = label("", "muted", wrap=True)
        inside = QVBoxLayout(self._inside)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(8)
        inside.addWidget(self.axis)
        inside.addLayout(size)
        inside.addLayout(self._table)
        inside.addWidget(self._note)
        inside.addWidget(self.csv)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.is_derenzo)
        column.addWidget(self._inside)

    def _follow_scan(self) -> None:
        """Use the phantom settings of another scan."""
        scan = self._study.inputs.scan
        # `inputs_changed` also comes for other files; the user's choice must not be reset then.
        if scan is self._scan:
            return
        self._scan = scan
        found = scan.phantom if scan is not None else None
        scanner = self._study.scanner
        blurred = scanner.blurred_axis if scanner is not None else None
        # Two panels blur along their normal, so only rods along that axis can be resolved.
        along = found["along"] if found else AXIS_NAMES[2 if blurred is None else blurred]
        self.axis.setCurrentIndex(self.axis.findData(along))
        self.radius.show_value(float(found["radius_mm"]) if found else RADIUS_MM)
        self.is_derenzo.setChecked(found is not None)
        self.refresh()

    def refresh(self) -> None:
        """Measure the displayed image, if the table is visible."""
        # The first table imports Numba and SciPy, and most runs end without anybody looking at it.
        if not self.isVisible():
            return
        volume, wanted = self._session.view.volume, self.is_derenzo.isChecked()
        self.is_derenzo.setEnabled(volume is not None)
        self._inside.setVisible(wanted and volume is not None)
        self.rows = []
        if wanted and volume is not None:
            self.rows = table_of(volume, self.radius.value, self.axis.currentData())
        self._show_table()

    def _show_table(self) -> None:
        remove_widgets(self._table)
        for place, text in enumerate((tr("Rods"), tr("Valley / peak"), "")):
            title = label(text, "caption")
            # The glossary explains the term, if it has it.
            title.setToolTip(literal_tip(meaning_of(text)))
            self._table.addWidget(title, 0, place)
        for at, row in enumerate(self.rows, 1):
            valley = tr("no contrast") if row.valley is None else f"{row.valley:.2f}"
            verdict = label(tr("resolved") if row.resolved else tr("not resolved"))
            set_tone(verdict, "ok" if row.resolved else "muted")
            parts = (label(f"{row.diameter_mm:g} mm", "number"), label(valley, "number"), verdict)
            for place, part in enumerate(parts):
                self._table.addWidget(part, at, place)
        self._note.setText(
            tr(
                "Mean value between adjacent rods divided by the mean value in the rods, "
                "over the central 10 mm of their length. Rods are resolved if the ratio "
                "is below 0.735 (Rayleigh criterion)."
            )
            if self.rows
            else tr("A phantom with this radius contains no adjacent rods of the same size.")
        )
        self.csv.setEnabled(bool(self.rows))

    def _write(self) -> None:
        self._save("derenzo-rods.csv", csv_of(self.rows))
