"""The page of a running list-mode scan: its image, rates, blocks, and where the object is."""

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
from app.views.literal_text import plain_tip
from app.views.plots.time_curves import TimeCurves
from app.views.scan.block_map import BlockMap
from app.views.slices.ortho_view import OrthoView
from app.views.state import ViewState

if TYPE_CHECKING:
    from engine.data import Volume
    from engine.live import LivePetUpdate

SNAPSHOT = tr("Keep image …"), tr("Write the image on show to a file, with what made it")
FIGURES = (
    (tr("Prompts"), tr("Coincidences that the scanner counts in a second")),
    (
        tr("Randoms"),
        tr("Delayed coincidences, where the scan has them: so many prompts came by chance"),
    ),
    (tr("Images"), tr("Times in a second that the image was made anew")),
    (tr("Behind"), tr("How old the newest event of the image on show is, at most")),
    (tr("Image"), tr("Prompts that the image is of")),
    (tr("From, to"), tr("The part of the scan that the image is of")),
    (tr("Events"), tr("Those that came, and those lost or left out for want of time or memory")),
    (tr("Memory"), tr("Of the events that are kept")),
)
STILL, NOT_WATCHED = tr("No motion so far"), tr("Motion is watched for after some seconds")
APART = tr("An image for each rest")
APART_TIP = tr(
    "The ordinary run makes one image of each time between two motions, instead of one of all "
    "events"
)
MOST_MOTIONS = 4
PLOTS_PX = 160


class PetPage(WatchPage[LivePetModel]):
    """Shows what the model of a running list-mode scan knows."""

    kept: Volume | None
    held: Volume | None

    def __init__(self, context: AppContext, model: LivePetModel, actions: WatchActions) -> None:
        super().__init__(model, actions, SNAPSHOT, tr("Reconstruct image"))
        self._theme = context.theme
        self.view_state = ViewState(self)
        self.views, self._display = OrthoView(self.view_state), VolumeDisplay(self.view_state)
        self.figures, self.blocks = LiveFigures(FIGURES), BlockMap()
        self.blocks_text, self.motion = label("", "muted"), label("", wrap=True)
        self.rates = TimeCurves(
            ("prompts", "delayeds"), tr("Counts over time"), from_zero=True, least=1.0
        )
        self.centre = TimeCurves(
            ("x", "y", "z"), tr("Where the activity is, over time"), from_zero=False, least=2.0
        )
        self.turn = TimeCurves(
            ("turn",),
            tr("How the activity lies, where it is not round"),
            from_zero=False,
            least=2.0,
        )
        self._heads = [label("", "muted") for _ in range(3)]
        self.apart = QCheckBox(APART)
        self.apart.setToolTip(plain_tip(APART_TIP))
        self.apart.toggled.connect(self._set_apart)
        self.lay_out(
            self._views_and_curves(),
            (
                self.figures,
                label(tr("Detector blocks"), "caption"),
                self.blocks,
                self.blocks_text,
                label(tr("The object"), "caption"),
                self.motion,
            ),
            self.apart,
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

    def _set_apart(self, on: bool) -> None:
        self.model.apart = on

    def begin(self) -> None:
        super().begin()
        self._display.show(None)
        self.figures.show_texts(())
        self.blocks.show_counts(None, None)
        self.apart.setChecked(False)
        self._show_curves(())
        self._show_motions(None)

    def allow(self) -> None:
        super().allow()
        request = self.model.request
        is_kept = request is None or request.newest_s is None
        for widget in (self.save, self.reconstruct):
            widget.setVisible(is_kept)
        self.apart.setVisible(is_kept and bool(self.model.rests))

    def show_newest(self) -> None:
        update = self.model.update
        if update is None or not self.isVisible():
            return
        self.figures.show_texts(texts_of_events(update.statistics))
        self.blocks.show_counts(self.model.scanner, update.blocks)
        self.blocks_text.setText(self.blocks.text)
        self._show_motions(update)
        self._show_curves([each.at_s for each in update.motions])
        self.hold(update.image)
        shown = self.on_show
        if shown is not None and shown is not self.view_state.volume:
            self._display.show(shown, refit=True)
        self.view_state.set_note(self.remark)
        self.allow()

    @property
    def on_show(self) -> Volume | None:
        """The image on show: kept, frozen or newest."""
        return self.kept if self.shows_kept else self.held

    def _show_curves(self, motions_s: list[float] | tuple[float, ...]) -> None:
        history = self.model.history
        times = history.column("time")
        plots = (self.rates, ("prompts", "delayeds")), (self.centre, ("x", "y", "z"))
        for plot, names in (*plots, (self.turn, ("turn",))):
            plot.show_curves(times, {name: history.column(name) for name in names}, motions_s)
        thousand = {0: "", 3: tr("thousand ")}.get(self.rates.power, f"10^{self.rates.power} ")
        titles = (
            tr("Counts ({thousand}a second), over time (s)", thousand=thousand),
            tr("Centre moved by (mm), over time (s)"),
            tr("Turned about z by (°), over time (s)"),
        )
        for head, title in zip(self._heads, titles, strict=True):
            head.setText(title)

    def _show_motions(self, update: LivePetUpdate | None) -> None:
        motions = () if update is None else update.motions
        lines = [
            tr("Moved {describe}", describe=each.describe()) for each in motions[-MOST_MOTIONS:]
        ]
        watched = update is not None and update.place is not None
        self.motion.setText("\n".join(lines) or (STILL if watched else NOT_WATCHED))
        set_tone(self.motion, "look" if lines else "muted")
