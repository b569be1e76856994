"""The line profile: draw a line in a slice, and show and save its values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.run.progress_panel import Numbers
from app.ui.theme.icons import set_icon
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import button, label
from app.views.plots.line_plot import LinePlot
from app.views.state import ViewState
from app.views.text import millimetres, with_error
from engine.analysis.quality import LineProfile, peak_width, profile_along

SAVE = Callable[[str, str], None]
"""Called with the proposed name of a file and its text."""
SETTLE_MS = 30
"""Delay after a change of the line; a drag would otherwise sample it at every event."""


class LineProfileBox(QWidget):
    """Plot of the values along the line, for every displayed image."""

    def __init__(self, state: ViewState, theme: Theme, save: SAVE) -> None:
        super().__init__()
        self._state, self._theme, self._save = state, theme, save
        self.draw = button(
            tr("Draw a line"),
            self._toggle,
            tr(
                "Drag in a slice from one end of the line to the other. To move an end, drag "
                "it. (L)"
            ),
        )
        self.draw.setCheckable(True)
        set_icon(self.draw, "line", theme)
        self.keep = button(
            tr("Keep"), self._store_profile, tr("Keep this curve for comparison with other images")
        )
        self.keep.setCheckable(True)
        self.clear = button(tr("Clear"), lambda: state.set_line(None), tr("Remove the line"))
        self.csv = button(
            tr("Save as CSV …"), self._write, tr("Save the values along the line as a table")
        )
        self.head = label("", "muted")
        self.plot = LinePlot()
        self.plot.setMinimumHeight(190)
        self.plot.setMaximumHeight(260)
        self.numbers = Numbers()
        self._lay_out()
        self._soon = QTimer(self)
        # A single-shot timer that is not restarted: a long drag still updates at a steady rate.
        self._soon.setSingleShot(True)
        self._soon.setInterval(SETTLE_MS)
        self._soon.timeout.connect(self.refresh)
        for signal in (state.line_changed, state.volume_changed):
            signal.connect(self._refresh_soon)
        theme.changed.connect(self._paint)
        self._paint()
        self.refresh()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for widgets in ((self.draw, self.clear), (), (self.keep, self.csv)):
            if not widgets:
                for shown in (self.head, self.plot, self.numbers):
                    column.addWidget(shown)
                continue
            row = QHBoxLayout()
            row.setSpacing(6)
            for widget in widgets:
                row.addWidget(widget, 1)
            column.addLayout(row)

    @property
    def profile(self) -> LineProfile | None:
        """Values along the line in the displayed image."""
        return self.plot.profile

    def numbers_shown(self) -> list[tuple[str, str]]:
        """Return names and values of the line."""
        return self._rows(self.profile)

    def _refresh_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def refresh(self) -> None:
        """Sample the displayed image along the line."""
        state, drawn = self._state, self._state.line
        found = None
        if state.volume is not None and drawn is not None:
            found = profile_along(state.volume, drawn.start_mm, drawn.end_mm)
        stored = self.plot.stored if found is not None else None
        # Curves in different units cannot share an axis.
        if stored is not None and found is not None and stored.unit != found.unit:
            stored = None
        self.keep.setChecked(stored is not None)
        self.plot.show_profile(found, stored, state.length_unit)
        self.head.setText(
            tr("Value ({head})", head=self.plot.head) if self.plot.head else tr("Value")
        )
        self.head.setVisible(found is not None)
        self.numbers.show_rows(self.numbers_shown())
        self.draw.setChecked(state.draws_lines)
        self.draw.setEnabled(state.volume is not None)
        for each in (self.clear, self.keep, self.csv):
            each.setEnabled(found is not None)

    def _rows(self, found: LineProfile | None) -> list[tuple[str, str]]:
        drawn = self._state.line
        if found is None or drawn is None:
            return []
        length, (at, peak) = self._state.length_unit, found.peak
        places = (drawn.start_mm, drawn.end_mm)
        a, b = ("  ".join(millimetres(value) for value in place) for place in places)
        return [
            *self._width_rows(found),
            (tr("Maximum"), self._value_text(peak)),
            (tr("Maximum at"), tr("{at:.1f} {length} from end 1", at=at, length=length)),
            (tr("Minimum"), self._value_text(float(found.values.min()))),
            (tr("Length"), f"{found.length_mm:.1f} {length}"),
            (tr("End 1  (x, y, z)"), f"{a} {length}"),
            (tr("End 2  (x, y, z)"), f"{b} {length}"),
        ]

    def _width_rows(self, found: LineProfile) -> list[tuple[str, str]]:
        """Return the width by a fit, or at half height if no fit is possible."""
        crossed, length, volume = found.fwhm_mm, self._state.length_unit, self._state.volume
        if crossed is None or volume is None:
            return [(tr("FWHM of the peak"), tr("the line is too short"))]
        # The fit uses the image itself, because the linear profile is already blurred by
        # interpolation.
        fitted = peak_width(volume, found)
        if fitted is None:
            return [(tr("FWHM, interpolated"), f"{crossed:.2f} {length}")]
        return [
            (tr("FWHM, fitted"), f"{with_error(fitted.fwhm_mm, fitted.error_mm)} {length}"),
            (tr("Bias of the fit"), fitted.bias),
        ]

    def _value_text(self, value: float) -> str:
        return self._state.shown_text(value)

    def _toggle(self) -> None:
        self._state.set_draws_lines(self.draw.isChecked())

    def _store_profile(self) -> None:
        self.plot.stored = self.plot.profile if self.keep.isChecked() else None
        self.refresh()

    def _write(self) -> None:
        if self.profile is not None:
            self._save("line-profile.csv", self.profile.csv(self._state.length_unit))

    def _paint(self) -> None:
        self.plot.set_colours(view_colours(self._theme))


def write_text(text: str, target: Path) -> Path:
    """Write a text file, completely or not at all.

    Parameters
    ----------
    text
        content
    target
        file to write or replace

    Returns
    -------
    Path
        `target`, for the callback of a task
    """
    from engine.io import write_atomically

    write_atomically(text.encode(), target)
    return target
