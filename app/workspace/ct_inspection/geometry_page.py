"""The page for the geometry of a scan: drawing, facts, and a slider over the views."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.session import Session
from app.ui.theme.widgets import button, label, scrolled
from app.views.colour.colours import ViewColours
from app.views.literal_text import LiteralLabel
from app.views.scan.detector_state import DetectorState
from app.views.scan.scan_scene import ScanScene
from app.views.scan.scan_view import CAMERAS, ScanView
from app.views.scrubber import TickSlider
from app.workspace.ct_inspection.geometry_text import Facts, facts, view_facts
from engine.core.errors import EngineError
from engine.data import Projections
from engine.geometry import ImageGrid
from engine.modalities import ProjectionsSummary

FACTS_PX, MIN_FACTS_PX = 268, 190


class GeometryPage(QWidget):
    """Draws the scan as it will be reconstructed: cropped, binned and shifted by the steps."""

    def __init__(self, session: Session, state: DetectorState) -> None:
        super().__init__()
        self._state = state
        self._study = session.study
        self.drawing = ScanView()
        self.setFocusProxy(self.drawing)
        self.slider = TickSlider()
        self.slider.setAccessibleName(tr("View"))
        self.slider.setToolTip(
            tr("Step through the views. In the drawing, you can also use the wheel, PgUp and PgDn.")
        )
        self._place = LiteralLabel()
        # The longest text sets the width, so that the slider does not move.
        self._place.setMinimumWidth(
            self._place.fontMetrics().horizontalAdvance(tr("View 0000 of 0000"))
        )
        self._facts, self._view_facts = _Facts(), _Facts()
        self._view_title = label("", "caption")
        self._lay_out()
        self._shown: Projections | None = None
        self.drawing.view_wanted.connect(state.go_to_view)
        self.slider.valueChanged.connect(state.go_to_view)
        state.place_changed.connect(self._show_view)
        for signal in (session.study.inputs_changed, session.study.protocol_changed):
            signal.connect(self.refresh)

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(8)
        for widget in (
            label(tr("Scan"), "caption"),
            self._facts,
            self._view_title,
            self._view_facts,
        ):
            column.addWidget(widget)
        column.addStretch(1)
        entries = scrolled(inside)
        entries.setMinimumWidth(MIN_FACTS_PX)
        entries.setMaximumWidth(FACTS_PX)
        across = QHBoxLayout()
        across.setSpacing(0)
        across.addWidget(self.drawing, 1)
        across.addWidget(entries, 1)
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self._place)
        row.addWidget(self.slider, 1)
        cameras = QHBoxLayout()
        cameras.setContentsMargins(8, 0, 8, 4)
        cameras.setSpacing(8)
        cameras.addStretch(1)
        for name, camera in CAMERAS.items():
            tip = tr("Inspect the scan: {name}", name=name.lower())
            cameras.addWidget(button(name, partial(self.drawing.set_camera, camera), tip))
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addLayout(across, 1)
        page.addLayout(row)
        page.addLayout(cameras)

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme.

        Parameters
        ----------
        colours
            colours of the theme
        """
        self.drawing.set_colours(colours)
        self.slider.colours = colours
        self.slider.update()

    def showEvent(self, event: QShowEvent) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show the open scan; nothing is done while the page is hidden."""
        found = self._study.xray
        if found is None or not self.isVisible():
            return
        scan = found.scan
        empty_scan, grid = self._prepared_scan(scan)
        self._shown = empty_scan
        known = empty_scan.pixel_mm_known
        self.drawing.show_scene(ScanScene(empty_scan.geometry, grid), "mm" if known else "pixels")
        # The axis that is drawn may change when the run has searched for it.
        sought = scan.needs_axis_search(self._study.steps())
        entries = facts(empty_scan.geometry, grid, pixel_mm_known=known, needs_axis_search=sought)
        self._facts.show_facts(entries)
        self._show_view()

    def _prepared_scan(self, scan: ProjectionsSummary) -> tuple[Projections, ImageGrid | None]:
        try:
            return scan.prepared(self._study.steps()), self._study.grid()
        # Settings that exclude each other still leave a scan to draw.
        except EngineError:
            return scan.empty_scan, None

    def _show_view(self) -> None:
        frame, shown = self._state.frame, self._shown
        if frame is None or shown is None or not self.isVisible():
            return
        view, n = self._state.view, frame.n_views
        # Setting the slider would otherwise request the view again.
        self.slider.blockSignals(True)
        self.slider.setRange(0, n - 1)
        self.slider.setValue(view)
        self.slider.blockSignals(False)
        self.slider.setEnabled(n > 1)
        self.slider.update()
        self._place.setText(tr("View {view} of {n}", view=view + 1, n=n))
        # The slider counts measured views. After binning, several of them are one drawn view.
        binned = min(view // max(n // shown.n_views, 1), shown.n_views - 1)
        self.drawing.show_view(binned)
        self._view_title.setText(
            tr("View {view}, {angle_text}", view=view + 1, angle_text=frame.angle_text(view))
        )
        entries = view_facts(shown.geometry, binned, pixel_mm_known=shown.pixel_mm_known)
        self._view_facts.show_facts(entries)


class _Facts(QWidget):
    """Names and texts in two columns."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLabel]] = []

    def show_facts(self, entries: Facts) -> None:
        """Show these facts only.

        Parameters
        ----------
        entries
            names and texts
        """
        # Labels are reused: the facts change at every step of the slider.
        while len(self._rows) < len(entries):
            name, text = label("", "muted", wrap=True), label("", wrap=True)
            row = len(self._rows)
            self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(text, row, 1, Qt.AlignmentFlag.AlignTop)
            self._rows.append((name, text))
        for k, (name, text) in enumerate(self._rows):
            words = entries[k] if k < len(entries) else ("", "")
            name.setText(words[0])
            text.setText(words[1])
            for widget in (name, text):
                widget.setVisible(k < len(entries))
