"""The page of a running X-ray scan: slices, figures, controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.language.translation import tr
from app.live.angle_strip import AngleStrip
from app.live.figures import LiveFigures, texts_of_slices
from app.live.live_controls import LiveControls
from app.live.live_model import LiveModel
from app.live.live_views import LiveViews
from app.live.watch_page import WatchActions, WatchPage
from app.state.services.context import AppContext
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, label

if TYPE_CHECKING:
    from engine.live import LiveImages

SNAPSHOT = tr("Save slices …"), tr("Save the displayed slices with their positions")
RESET_TIP = tr("Reset the slices to planes through the centre, perpendicular to z, y and x")
FIGURES = (
    (tr("Frame rate"), tr("Projections received per second")),
    (tr("Update rate"), tr("Slice updates per second")),
    (
        tr("Latency"),
        tr(
            "Time from the arrival of a frame to the first slices that include it: median "
            "and 99th percentile"
        ),
    ),
    (
        tr("Frames"),
        tr("Projections received, and projections lost or skipped because newer ones arrived"),
    ),
    (tr("Views"), tr("Views used for reconstruction, and the angular range that they cover")),
    (tr("Memory"), tr("Memory used by views and slices")),
)


class SlicesPage(WatchPage[LiveModel]):
    """Page of a running X-ray scan."""

    stored: LiveImages | None
    current: LiveImages | None

    def __init__(self, context: AppContext, model: LiveModel, actions: WatchActions) -> None:
        super().__init__(model, actions, SNAPSHOT, tr("Reconstruct volume"))
        self._theme = context.theme
        self.views, self.strip, self.figures = LiveViews(), AngleStrip(), LiveFigures(FIGURES)
        self.controls = LiveControls(model.set_axis, model.find_axis, model.roll, model.use_filter)
        self.reset_planes = button(tr("Reset planes"), self.views.reset, RESET_TIP)
        current, runs = (
            label(tr("Stored angles"), "caption"),
            label(tr("Adjust during the scan"), "caption"),
        )
        self.lay_out(
            self.views,
            (self.figures, current, self.strip, runs, self.controls),
            extra_button=self.reset_planes,
        )
        self.views.placed.connect(model.place)
        self._theme.changed.connect(self._paint)
        self._paint()

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        self.views.set_colours(colours)
        self.strip.set_colours(colours)

    def begin(self) -> None:
        super().begin()
        self.views.begin()
        self.figures.show_texts(())
        self.strip.show_angles(None, None)
        if self.model.request is not None:
            self.controls.begin(self.model.filter())

    def follow(self) -> None:
        super().follow()
        # A closed session no longer computes moved slices.
        self.views.can_move = self.model.can_place
        self.reset_planes.setEnabled(self.model.can_place)

    def allow(self) -> None:
        super().allow()
        request = self.model.request
        for widget in (self.save, self.reconstruct):
            widget.setVisible(request is None or request.mode == "growing")

    def show_newest(self) -> None:
        update = self.model.update
        # Nothing is drawn for a hidden page; `showEvent` catches up.
        if update is None or not self.isVisible():
            return
        self.figures.show_texts(texts_of_slices(update.statistics))
        if update.images is not None:
            # The engine may have found the axis itself.
            self.controls.show_axis(update.images.axis_column)
            newest = None if update.projection is None else update.projection.angle_rad
            self.strip.show_angles(update.images.angles_rad, newest)
        if update.projection is not None:
            self.views.projection.show_frame(update.projection)
        self.show_update(update.images)
        shown = self.on_show
        if shown is not None:
            self.views.show_images(shown, self.note)
        self.allow()

    @property
    def on_show(self) -> LiveImages | None:
        """The displayed slices: stored, frozen or newest."""
        return self.stored if self.shows_stored else self.current
