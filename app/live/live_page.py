"""The page of a running scan: connect, watch, steer, freeze, compare, keep, reconstruct."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.control.context import AppContext
from app.live.angle_strip import AngleStrip
from app.live.connect_card import ConnectCard
from app.live.figures import LiveFigures
from app.live.live_controls import LiveControls
from app.live.live_model import LiveModel
from app.live.live_request import LiveRequest
from app.live.live_views import LiveViews
from app.look.plot_colours import view_colours
from app.look.widgets import button, label, scrolled, set_tone

if TYPE_CHECKING:
    from engine.live import LiveImages

SIDE_PX = 300
KEPT_NOTE = "kept for comparison"
FROZEN_NOTE = "frozen"
SNAPSHOT_TIP = "Write the slices on show to files, with where they lie and what made them"
RESET_TIP = "Put the slices back: across z, y and x, through the middle"
KEEP_TIP = "Stop, and write the views as they came to a file"
WHOLE_TIP = "Stop, keep the scan in a file, open it and reconstruct its whole volume"


class LivePage(QWidget):
    """Shows what the model of a running scan knows.

    Parameters
    ----------
    context : of the window
    demo, leave : what the two buttons of the first page do
    keep_scan, reconstruct : asked to put the scan into a file, and to reconstruct its volume
    another : asked to let go of the scan
    keep_slices : asked to put the slices on show into files
    """

    def __init__(
        self,
        context: AppContext,
        *,
        demo: Callable[[], object],
        leave: Callable[[], object],
        keep_scan: Callable[[], object],
        reconstruct: Callable[[], object],
        another: Callable[[], object],
        keep_slices: Callable[[], object],
    ) -> None:
        super().__init__()
        self.setObjectName("Live")
        self.setAccessibleName("Live")
        self._theme, self._preferences = context.theme, context.preferences
        self.model = LiveModel(context, self)
        self.card = ConnectCard(self.model.start, demo, leave)
        self.views, self.strip, self.figures = LiveViews(), AngleStrip(), LiveFigures()
        self.controls = LiveControls(
            self.model.see_axis, self.model.find_axis, self.model.roll, self.model.use_filter
        )
        self.state, self.said = label("", "heading", wrap=True), label("", "muted", wrap=True)
        model = self.model
        self.freeze = _switch("Freeze", self._show, "Hold the slices on show; the scan goes on")
        self.keep = button("Keep to compare", self._keep, "Keep these slices for a comparison")
        self.compare = _switch("Show kept", self._show, "Show what was kept instead of the newest")
        self.snapshot = button("Keep slices …", keep_slices, SNAPSHOT_TIP)
        self.reset_planes = button("Reset planes", self.views.reset, RESET_TIP)
        self.save = button("Keep scan …", keep_scan, KEEP_TIP)
        self.reconstruct = button("Reconstruct volume …", reconstruct, WHOLE_TIP, "primary")
        self.stop = button("Stop", model.stop, "End following; what came stays on show")
        self.back = button("Back", leave, "Back to the images; the scan is followed on")
        self.another = button("Another scan", another, "Connect to another source")
        self._kept: LiveImages | None = None
        self._held: LiveImages | None = None
        self._seen: LiveRequest | None = None
        self._lay_out()
        self.model.updated.connect(self._show)
        self.model.state_changed.connect(self._follow)
        self.views.placed.connect(self.model.place)
        self._theme.changed.connect(self._paint)
        self._paint()
        self._follow()

    def _lay_out(self) -> None:
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        for widget in (self.state, self.said, self.figures):
            column.addWidget(widget)
        column.addWidget(label("Angles held", "caption"))
        column.addWidget(self.strip)
        column.addWidget(label("While it runs", "caption"))
        column.addWidget(self.controls)
        pairs = (
            (self.freeze, self.keep),
            (self.compare, self.reset_planes),
            (self.snapshot, self.save),
        )
        for pair in pairs:
            row = QHBoxLayout()
            row.setSpacing(8)
            for each in pair:
                row.addWidget(each, 1)
            column.addLayout(row)
        column.addWidget(self.reconstruct)
        column.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.stop, 1)
        row.addWidget(self.another, 1)
        column.addLayout(row)
        column.addWidget(self.back)
        area = scrolled(side)
        area.setFixedWidth(SIDE_PX)
        watching = QWidget()
        across = QHBoxLayout(watching)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        across.addWidget(self.views, 1)
        across.addWidget(area)
        asking = QWidget()
        asking.setObjectName("Canvas")
        asking.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self.card, 1000)  # as wide as it may, before the empty sides
        middle.addStretch(1)
        down = QVBoxLayout(asking)
        down.addStretch(2)
        down.addLayout(middle)
        down.addStretch(3)
        self._pages = QStackedWidget()
        self._pages.addWidget(asking)
        self._pages.addWidget(watching)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(self._pages)

    def suggest_scan(self, path: Path | None) -> None:
        """Offer the scan at hand as one of the same geometry."""
        if path is not None and not self.card.like.text():
            self.card.like.setText(str(path))

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        self.views.set_colours(colours)
        self.strip.set_colours(colours)

    def _follow(self) -> None:
        """Show another state."""
        model = self.model
        text, tone = model.state
        is_asking = model.request is None or (model.update is None and tone == "missing")
        self._pages.setCurrentIndex(0 if is_asking else 1)
        self.card.say(text if is_asking else "")
        if model.request is not self._seen:
            self._begin(model.request)
        self.state.setText(text)
        set_tone(self.state, tone)
        self.said.setText(model.said[-1] if model.said and model.said[-1] not in text else "")
        self.said.setVisible(bool(self.said.text()))
        self.stop.setEnabled(model.is_running or model.is_connecting)
        self.another.setEnabled(True)
        self.views.can_move = model.can_place
        self.reset_planes.setEnabled(model.can_place)
        self._allow()

    def _begin(self, request: LiveRequest | None) -> None:
        self._seen, self._kept, self._held = request, None, None
        for switch in (self.freeze, self.compare):
            switch.setChecked(False)
        self.views.begin()
        self.figures.show_figures(None)
        self.strip.show_angles(None, None)
        if request is not None:
            self.card.show_request(request)
            self.controls.begin(self.model.filter())

    def _allow(self) -> None:
        update = self.model.update
        has_images = update is not None and update.images is not None
        for widget in (self.freeze, self.keep, self.snapshot):
            widget.setEnabled(has_images)
        self.compare.setEnabled(self._kept is not None)
        for widget in (self.save, self.reconstruct):
            widget.setEnabled(self.model.has_scan)
            widget.setVisible(self.model.request is None or self.model.request.mode == "growing")

    def _show(self) -> None:
        update = self.model.update
        if update is None or not self.isVisible():
            return
        self.figures.show_figures(update.statistics)
        if update.images is not None:
            self.controls.show_axis(update.images.axis_column)
            newest = None if update.projection is None else update.projection.angle_rad
            self.strip.show_angles(update.images.angles_rad, newest)
        if update.projection is not None:
            self.views.projection.show_frame(update.projection)
        self._show_images(update.images)
        self._allow()

    def _show_images(self, newest: LiveImages | None) -> None:
        if not self.freeze.isChecked():
            self._held = newest
        if self.compare.isChecked() and self._kept is not None:
            self.views.show_images(self._kept, KEPT_NOTE)
        elif self._held is not None:
            self.views.show_images(self._held, FROZEN_NOTE if self.freeze.isChecked() else "")

    @property
    def on_show(self) -> LiveImages | None:
        """The slices on show: kept, frozen or newest."""
        return self._kept if self.compare.isChecked() and self._kept else self._held

    def _keep(self) -> None:
        """Keep the slices on show."""
        self._kept = self._held
        self._allow()

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._show()


def _switch(text: str, changed: Callable[[], object], tip: str) -> QPushButton:
    made = button(text, changed, tip)
    made.setCheckable(True)
    return made
