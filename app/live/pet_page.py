"""The page of a running list-mode scan: image, rates, detector blocks, motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.live.figures import LiveFigures, texts_of_events
from app.live.pet_model import LivePetModel
from app.live.watch_page import WatchActions, WatchPage
from app.state.models.images.volume_display import VolumeDisplay
from app.state.services.context import AppContext
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import label, set_tone
from app.views.literal_text import literal_tip
from app.views.scan.block_map import BlockMap
from app.views.slices.ortho_view import OrthoView
from app.views.state import ViewState

if TYPE_CHECKING:
    from engine.data import Volume
    from engine.live import LivePetUpdate

SNAPSHOT = tr("Save image …"), tr("Save the displayed image with its provenance")
FIGURES = (
    (tr("Prompts"), tr("Coincidences per second")),
    (
        tr("Randoms"),
        tr("Random coincidences, estimated from delayed coincidences if the scan contains them"),
    ),
    (tr("Images"), tr("Image updates per second")),
    (tr("Behind"), tr("Maximum delay between the newest event and the displayed image")),
    (tr("Image"), tr("Number of prompts in the image")),
    (tr("Time range"), tr("Time range of the scan used for the image")),
    (
        tr("Events"),
        tr("Events received, and events lost or skipped for lack of time or memory"),
    ),
    (tr("Memory"), tr("Memory used by the stored events")),
)
STILL, NOT_WATCHED = tr("No motion so far"), tr("Motion detection starts after a few seconds")
PER_PERIOD = tr("One image per motion-free period")
PER_PERIOD_TIP = tr(
    "The full reconstruction creates a separate image for each period without motion, "
    "instead of one image from all events"
)
MAX_MOTIONS = 4
PLOTS_PX = 160


class PetPage(WatchPage[LivePetModel]):
    """Page of a running list-mode scan."""

    stored: Volume | None
    current: Volume | None

    def __init__(self, context: AppContext, model: LivePetModel, actions: WatchActions) -> None:
        super().__init__(model, actions, SNAPSHOT, tr("Reconstruct image"))
        self._theme = context.theme
        self.view_state = ViewState(self)
        self.views, self._display = OrthoView(self.view_state), VolumeDisplay(self.view_state)
        self.figures, self.blocks = LiveFigures(FIGURES), BlockMap()
        self.blocks_text, self.motion = label("", "muted"), label("", wrap=True)
        from app.views.plots.time_curves import TimeCurves

        self.rates = TimeCurves(
            ("prompts", "delayeds"), tr("Counts over time"), from_zero=True, min_half_height=1.0
        )
        self.centre = TimeCurves(
            ("x", "y", "z"),
            tr("Position of the activity over time"),
            from_zero=False,
            min_half_height=2.0,
        )
        self.turn = TimeCurves(
            ("turn",),
            tr("Orientation of the activity distribution, if it is not round"),
            from_zero=False,
            min_half_height=2.0,
        )
        self._heads = [label("", "muted") for _ in range(3)]
        self.per_period = QCheckBox(PER_PERIOD)
        self.per_period.setToolTip(literal_tip(PER_PERIOD_TIP))
        self.per_period.toggled.connect(self._set_per_period)
        self.lay_out(
            self._views_and_curves(),
            (
                self.figures,
                label(tr("Detector blocks"), "caption"),
                self.blocks,
                self.blocks_text,
                label(tr("Object"), "caption"),
                self.motion,
            ),
            self.per_period,
        )
        self._theme.changed.connect(self._paint)
        self._paint()

    def _views_and_curves(self) -> QWidget:
        inside = QWidget()
        down = QVBoxLayout(inside)
        down.setContentsMargins(0, 0, 0, 0)
        down.setSpacing(0)
        down.addWidget(self.views, 1)
        row = QHBoxLayout()
        row.setContentsMargins(8, 6, 8, 6)
        row.setSpacing(12)
        for head, plot in zip(self._heads, (self.rates, self.centre, self.turn), strict=True):
            column = QVBoxLayout()
            column.setSpacing(2)
            column.addWidget(head)
            column.addWidget(plot)
            row.addLayout(column, 1)
            plot.setFixedHeight(PLOTS_PX)
        down.addLayout(row)
        return inside

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        for each in (self.views, self.blocks, self.rates, self.centre, self.turn):
            each.set_colours(colours)

    def _set_per_period(self, on: bool) -> None:
        self.model.per_period = on

    def begin(self) -> None:
        super().begin()
        self._display.show(None)
        self.figures.show_texts(())
        self.blocks.show_counts(None, None)
        self.per_period.setChecked(False)
        self._show_curves(())
        self._show_motions(None)

    def allow(self) -> None:
        super().allow()
        request = self.model.request
        # A time window keeps no complete scan, so saving is not offered.
        is_saved = request is None or request.newest_s is None
        for widget in (self.save, self.reconstruct):
            widget.setVisible(is_saved)
        # Without motion there is only one period.
        self.per_period.setVisible(is_saved and bool(self.model.frames_between_motions))

    def show_newest(self) -> None:
        update = self.model.update
        # Nothing is drawn for a hidden page; `showEvent` catches up.
        if update is None or not self.isVisible():
            return
        self.figures.show_texts(texts_of_events(update.statistics))
        self.blocks.show_counts(self.model.scanner, update.blocks)
        self.blocks_text.setText(self.blocks.text)
        self._show_motions(update)
        # Motions are vertical lines in all three plots.
        self._show_curves([each.at_s for each in update.motions])
        self.show_update(update.image)
        shown = self.on_show
        # Figures arrive more often than images, and an equal image needs no new raster.
        if shown is not None and shown is not self.view_state.volume:
            self._display.show(shown, refit=True)
        self.view_state.set_note(self.note)
        self.allow()

    @property
    def on_show(self) -> Volume | None:
        """The displayed image: stored, frozen or newest."""
        return self.stored if self.shows_stored else self.current

    def _show_curves(self, motions_s: list[float] | tuple[float, ...]) -> None:
        history = self.model.history
        times = history.column("time")
        plots = (self.rates, ("prompts", "delayeds")), (self.centre, ("x", "y", "z"))
        for plot, names in (*plots, (self.turn, ("turn",))):
            plot.show_curves(times, {name: history.column(name) for name in names}, motions_s)
        titles = (
            _rate_title(self.rates.power),
            tr("Shift of the centre (mm) over time (s)"),
            tr("Rotation about z (°) over time (s)"),
        )
        for head, title in zip(self._heads, titles, strict=True):
            head.setText(title)

    def _show_motions(self, update: LivePetUpdate | None) -> None:
        motions = () if update is None else update.motions
        # The newest motions; older ones are in the plots.
        lines = [
            tr("Motion: {describe}", describe=each.describe()) for each in motions[-MAX_MOTIONS:]
        ]
        watched = update is not None and update.place is not None
        self.motion.setText("\n".join(lines) or (STILL if watched else NOT_WATCHED))
        set_tone(self.motion, "warning" if lines else "muted")


def _rate_title(power: int) -> str:
    """Return the title of the plot of count rates, which are divided by 10^power."""
    if power == 0:
        return tr("Counts per second over time (s)")
    if power == 3:
        return tr("Kilocounts per second over time (s)")
    return tr("10^{power} counts per second over time (s)", power=power)
