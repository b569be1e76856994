"""Compare slices with different rotation axes or rolls, and choose one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import named, tr
from app.state.services.context import AppContext
from app.state.services.dialog_jobs.sweep_job import Range, SweepJob
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import fit_to_screen, label, scrolled, set_tone
from app.views.scan.candidate_tile import IMAGE_PX, PAD_PX, CandidateTile
from app.views.scan.candidate_view import CandidateView, raster_of, raster_volume
from app.views.state import ViewState
from app.workspace.ct_inspection.sweep_range import RangeRow
from app.workspace.ct_inspection.sweep_text import best_text, is_best, score_text
from engine.data import Volume
from engine.modalities import Sweep

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import Candidate, Estimate

SIZE_PX = (1040, 790)
N_ACROSS = 3
HANDLING = tr(
    "Arrow keys: change candidate. In the large image, PgUp, PgDn or wheel: change "
    "candidate. Right button: window. Ctrl+wheel: zoom. Middle button: pan."
)


class SweepDialog(QDialog):
    """Shows candidates side by side. The protocol changes only when one is accepted."""

    def __init__(self, parent: QWidget, context: AppContext, sweep: Sweep) -> None:
        super().__init__(parent)
        self._says_work = False
        self._theme, self._sweep = context.theme, sweep
        self._study = context.session.study
        self.setWindowTitle(named(sweep.title))
        fit_to_screen(self, *SIZE_PX)
        self.job = SweepJob(context.session, context.commands, sweep, self)
        self.range = RangeRow(sweep)
        self.state = ViewState(self)
        self.view = CandidateView(self.state)
        self.tiles: list[CandidateTile] = []
        self.found: Estimate | None = None
        self.text = label("", "muted", wrap=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.use = self.buttons.button(kinds.Ok)
        self.use.setProperty("role", "primary")
        self._lay_out()
        self._connect()
        self._paint()
        self._choose(None)
        self.make_candidates()

    def _lay_out(self) -> None:
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._area = scrolled(inside)
        self._area.setFixedWidth(N_ACROSS * (IMAGE_PX + 2 * PAD_PX + 4) + 14)
        across = QHBoxLayout()
        across.setSpacing(10)
        across.addWidget(self._area)
        across.addWidget(self.view, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(label(self._sweep.lead, wrap=True))
        column.addWidget(self.range)
        column.addLayout(across, 1)
        column.addWidget(self._bar)
        column.addWidget(self.text)
        column.addWidget(label(HANDLING, "muted", wrap=True))
        column.addWidget(self.buttons)

    def _connect(self) -> None:
        self.job.progressed.connect(self._progress)
        self.job.found.connect(self._show)
        self.job.failed.connect(self._fail)
        self.job.ended.connect(self._show_end)
        self.range.wanted.connect(self.make_candidates)
        self.range.stopped.connect(self.job.stop)
        self.view.stepped.connect(self._step)
        self.view.moved.connect(self._repaint_tiles)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._theme.changed.connect(self._paint)
        # A scan that was already being read can still open behind this dialog.
        self._study.scan_replaced.connect(self.reject)

    @property
    def chosen(self) -> Candidate | None:
        """The candidate in the large view; None if there is none."""
        for tile, one in zip(self.tiles, self.found.candidates if self.found else (), strict=True):
            if tile.isChecked():
                return one
        return None

    def make_candidates(self, wanted: Range | None = None) -> None:
        """Compute candidates. The displayed ones stay until the new ones are complete.

        Parameters
        ----------
        wanted
            values to try; None for those in the fields
        """
        if self.job.is_busy:
            return
        self._report(tr("Reconstructing slices …"), works=True)
        # An unknown total shows a moving bar while the scan is prepared.
        self._bar.setRange(0, 0)
        self._bar.show()
        self.range.show_busy(True)
        self.job.start(wanted or self.range.value())

    def accept(self) -> None:
        """Use the value of the selected candidate in the protocol."""
        from engine.modalities import with_value

        chosen, found = self.chosen, self._study.xray
        # The scan may have been closed while the dialog was open.
        if chosen is None or found is None:
            return
        self._study.set_protocol(with_value(found.protocol, self._sweep.key, chosen.value))
        super().accept()

    def done(self, result: int) -> None:
        """Stop the computation and close.

        Parameters
        ----------
        result
            result code of the dialog
        """
        self.job.stop()
        super().done(result)
        self.job.delete_afterwards(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Enter in a field: it tries the values and does not accept a candidate.

        Parameters
        ----------
        event
            the key
        """
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and self.range.isAncestorOf(self.focusWidget()):
            self.range.ask()
        else:
            super().keyPressEvent(event)

    # Signals of the job

    def _progress(self, done: int, total: int) -> None:
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        words = tr("Reconstructing slices: {done} of {total}", done=done, total=total)
        self._report(words, works=True)

    def _fail(self, text: str) -> None:
        self._report(text, "missing")

    def _show_end(self) -> None:
        self._bar.hide()
        self.range.show_busy(False)
        # A stopped or failed job leaves no message of its own.
        if self._says_work:
            self._report(
                tr("Stopped.") if self.found is None else best_text(self._sweep, self.found)
            )

    def _show(self, found: Estimate) -> None:
        before = self.chosen
        self.found = found
        # Tiles are created again, since number and values have changed.
        for tile in self.tiles:
            tile.deleteLater()
        self.state.set_volume(_volume_of(found.best))
        self.tiles = [self._tile(one, found) for one in found.candidates]
        for k, tile in enumerate(self.tiles):
            self._grid.addWidget(tile, k // N_ACROSS, k % N_ACROSS)
            tile.toggled.connect(self._follow_choice)
            tile.show()
        # A finer search keeps the user's value selected if it is among the new ones.
        shown = self.tiles[_nearest(found, before.value if before else found.value)]
        shown.setChecked(True)
        shown.setFocus()
        self.range.show_value(found)
        self._report(best_text(self._sweep, found))

    def _tile(self, one: Candidate, among: Estimate) -> CandidateTile:
        words = self._sweep.describe(one.value), score_text(one, among)
        return CandidateTile(
            raster_of(_volume_of(one)),
            words,
            best=is_best(one, among),
            state=self.state,
            view=self.view,
        )

    # User actions

    def _follow_choice(self, on: bool) -> None:
        if on:
            self._choose(self.chosen)

    def _choose(self, one: Candidate | None) -> None:
        self.use.setEnabled(one is not None)
        self.range.set_chosen(one.value if one else None)
        if one is None:
            self.use.setText(tr("Use this value"))
            return
        words = self._sweep.describe(one.value)
        self.use.setText(tr("Use this value: {words}", words=words))
        self.view.title = words
        self.state.set_volume(_volume_of(one))

    def _step(self, n: int) -> None:
        places = [k for k, tile in enumerate(self.tiles) if tile.isChecked()]
        if places:
            k = min(max(places[0] + n, 0), len(self.tiles) - 1)
            self.tiles[k].setChecked(True)
            # The tile may be outside the visible part of the scroll area.
            self._area.ensureWidgetVisible(self.tiles[k])

    def _report(self, text: str, tone: str = "muted", *, works: bool = False) -> None:
        self._says_work = works
        self.text.setText(text)
        set_tone(self.text, tone)

    def _repaint_tiles(self) -> None:
        for tile in self.tiles:
            tile.update()

    def _paint(self) -> None:
        self.state.set_colours(view_colours(self._theme))


def _nearest(found: Estimate, value: float) -> int:
    """Return the place of the candidate nearest to a value."""
    return min(range(len(found.candidates)), key=lambda k: abs(found.candidates[k].value - value))


def _volume_of(one: Candidate) -> Volume:
    return raster_volume(np.asarray(one.image, np.float32))
