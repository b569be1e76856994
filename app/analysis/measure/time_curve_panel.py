"""A time-activity curve: a sphere around the crosshair, measured in every frame."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from app.analysis.measure.line_profile_panel import SAVE
from app.language.translation import tr
from app.state.models.session import Session
from app.ui.forms.number_box import NumberBox
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import button, label
from app.views.plots.time_plot import TimePlot
from app.views.text import millimetres
from engine.analysis.quality import TimeCurve, time_curve
from engine.analysis.regions import SphereRegion
from engine.core.errors import EngineError

SETTLE_MS = 60
"""Delay after a move of the cursor; a drag would otherwise measure at every event."""
DIAMETER_MM, MIN_MM, MAX_MM = 10.0, 0.1, 1000.0


class TimeCurveBox(QWidget):
    """Shown when the current run has time frames."""

    def __init__(self, session: Session, theme: Theme, save: SAVE) -> None:
        super().__init__()
        self._view, self._run, self._theme, self._save = session.view, session.run, theme, save
        self._volumes = session.volumes
        self.diameter = NumberBox(False, MIN_MM, MAX_MM)
        self.diameter.setAccessibleName(tr("Diameter of the sphere in mm"))
        self.diameter.setFixedWidth(70)
        self.diameter.show_number(DIAMETER_MM)
        self._diameter_mm = DIAMETER_MM
        self.csv = button(tr("Save as CSV …"), self._write, tr("Save the curve as a table"))
        self.copy = button(
            tr("Copy picture"), self._copy, tr("Copy a picture of the curve to the clipboard")
        )
        self.where = label("", "muted", wrap=True)
        self.plot = TimePlot()
        self.plot.setMinimumHeight(210)
        self.plot.setMaximumHeight(290)
        self._lay_out()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SETTLE_MS)
        self._soon.timeout.connect(self.refresh)
        for signal in (
            # The sphere follows the crosshair.
            self._view.cursor_changed,
            self._run.images_changed,
            self._run.begun,
            self._volumes.changed,
        ):
            signal.connect(self._refresh_soon)
        self.diameter.edited.connect(self._take_diameter)
        theme.changed.connect(self._paint)
        self._paint()
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(6)
        words = tr("Diameter of the sphere around the crosshair (mm)")
        caption = label(words, "caption", wrap=True)
        caption.setBuddy(self.diameter)
        row.addWidget(caption, 1)
        row.addWidget(self.diameter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(label(tr("Values over time"), "heading"))
        column.addLayout(row)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for each in (self.csv, self.copy):
            buttons.addWidget(each, 1)
        column.addWidget(self.where)
        column.addWidget(self.plot)
        column.addLayout(buttons)

    @property
    def curve(self) -> TimeCurve | None:
        """The displayed curve."""
        return self.plot.curve

    def _refresh_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _take_diameter(self) -> None:
        self._read_diameter()
        # The field always shows the diameter of the curve.
        self.diameter.show_number(self._diameter_mm)
        self._refresh_soon()

    def _read_diameter(self) -> None:
        typed = self.diameter.raw()
        # While the user types, the field can be empty or 0.
        if isinstance(typed, int | float) and typed > 0:
            self._diameter_mm = min(max(float(typed), MIN_MM), MAX_MM)

    def refresh(self) -> None:
        """Measure all frames of the run."""
        frames = self._run.record.images.frames
        self.setVisible(bool(frames))
        found: TimeCurve | None = None
        text = ""
        self._read_diameter()
        if frames:
            cursor = self._view.cursor_mm
            # The frames have the axes of the image, whatever volume the crosshair is in.
            at = self._volumes.in_image_mm(cursor)
            place = "  ".join(millimetres(value) for value in cursor)
            try:
                found = time_curve(
                    frames, SphereRegion(centre_mm=at, diameter_mm=self._diameter_mm)
                )
                text = tr(
                    "x, y, z: {place} mm; {volume_mm3:.3g} mL",
                    place=place,
                    volume_mm3=found.volume_mm3 / 1000,
                )
            except EngineError as e:
                text = str(e)
        self.plot.show_curve(found)
        self.where.setText(text)
        for each in (self.csv, self.copy):
            each.setEnabled(found is not None)

    def _write(self) -> None:
        if self.curve is not None:
            self._save("curve-over-time.csv", self.curve.csv())

    def _copy(self) -> None:
        QApplication.clipboard().setImage(self.plot.grab().toImage())

    def _paint(self) -> None:
        self.plot.set_colours(view_colours(self._theme))
