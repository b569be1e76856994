"""The playback row: content, speed, play, save."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSlider, QWidget

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.state.services.saving import may_write
from app.ui.forms.fields import QuietCombo
from app.ui.theme.file_dialogs import ask_save, with_ending
from app.ui.theme.icons import set_icon
from app.ui.theme.questions import show_reason
from app.ui.theme.widgets import icon_button, label
from app.viewing.viewer_tools.cine import MAX_PER_S, MIN_PER_S, Cine, CineKind
from app.viewing.viewer_tools.film_recorder import FilmRecorder, Frame
from app.views.literal_text import literal_tip
from app.views.slices.ortho_view import OrthoView
from app.views.slices.slice_view import SliceView
from engine.geometry import PlaneName

TITLES: dict[CineKind, str] = {
    "turn": tr("Rotation"),
    "axial": tr("Axial slices"),
    "coronal": tr("Coronal slices"),
    "sagittal": tr("Sagittal slices"),
    "images": tr("Iterations or frames"),
}
SAVE: dict[PlaneName, str] = {
    "axial": tr("Save the axial view …"),
    "coronal": tr("Save the coronal view …"),
    "sagittal": tr("Save the sagittal view …"),
}
SAVE_PROJECTION, SAVE_3D = tr("Save the projection …"), tr("Save the 3D view …")
FILE_NAME, KINDS = "movie.gif", tr("Movies (*.gif *.mp4 *.png)")
NOT_SAVED = tr("The movie was not saved.")
WHY_INTERRUPTED = tr("Another image was opened during the recording.")
SAVE_TIP = tr("Record one loop as a GIF, an MP4 or a lossless animated PNG")
SLIDER_PX, COMBO_PX, SPEED_PX = 110, 165, 62


class CineBar(QWidget):
    """Shows and controls the film; hidden until it is needed."""

    def __init__(self, context: AppContext, cine: Cine, views: OrthoView) -> None:
        super().__init__()
        self._context, self._cine, self._views = context, cine, views
        self.recorder = FilmRecorder(cine, views.state)
        self.kind = QuietCombo()
        self.kind.setAccessibleName(tr("Content of the movie"))
        self.kind.setToolTip(literal_tip(tr("Content of the movie. All views follow the movie.")))
        self.kind.setFixedWidth(COMBO_PX)
        self.kind.activated.connect(lambda _: cine.set_kind(self.kind.currentData()))
        play = lambda: cine.play(not cine.is_playing)  # noqa: E731
        self.play = icon_button("start", context.theme, play, tr("Play (K)"), "text")
        self.speed = QSlider(Qt.Orientation.Horizontal)
        self.speed.setRange(MIN_PER_S, MAX_PER_S)
        self.speed.setMinimumWidth(40)
        self.speed.setMaximumWidth(SLIDER_PX)
        self.speed.setAccessibleName(tr("Images per second"))
        self.speed.setToolTip(literal_tip(tr("Images per second")))
        self.speed.valueChanged.connect(cine.set_speed)
        self._per_s = label("", "muted")
        self._per_s.setFixedWidth(SPEED_PX)
        self.save = QPushButton(tr("Save movie"))
        self.save.setToolTip(literal_tip(SAVE_TIP))
        self._menu = QMenu(self.save)
        self._menu.aboutToShow.connect(self._fill)
        self.save.setMenu(self._menu)
        self.cancel = QPushButton()
        self.cancel.setToolTip(literal_tip(tr("Cancel the recording. No file is written.")))
        self.cancel.clicked.connect(lambda: self.recorder.cancel())
        self.close_ = icon_button("remove", context.theme, self._close, tr("Close the movie"))
        self._target: Path | None = None
        self._lay_out()
        cine.changed.connect(self.refresh)
        self.recorder.progressed.connect(self._show_progress)
        self.recorder.recorded.connect(self._write)
        self.recorder.interrupted.connect(self._tell_interrupted)
        self.hide()
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 4)
        row.setSpacing(6)
        row.addWidget(label(tr("Movie"), "caption"))
        for each in (self.kind, self.play, self.speed, self._per_s):
            row.addWidget(each, 8 if each is self.speed else 0)
        row.addStretch(1)
        for each in (self.save, self.cancel, self.close_):
            row.addWidget(each)

    def refresh(self) -> None:
        """Show the current settings."""
        cine = self._cine
        kinds = cine.kinds()
        # Refilling an unchanged list would close its open popup.
        if [self.kind.itemData(k) for k in range(self.kind.count())] != kinds:
            self.kind.clear()
            for kind in kinds:
                self.kind.addItem(TITLES[kind], kind)
        self.kind.setCurrentIndex(max(self.kind.findData(cine.kind), 0))
        # Setting the slider must not change the speed that it shows.
        with QSignalBlocker(self.speed):
            self.speed.setValue(cine.per_s)
        self._per_s.setText(tr("{per_s}/s", per_s=cine.per_s))
        set_icon(self.play, "pause" if cine.is_playing else "start", self._context.theme)
        words = tr("Pause (K)") if cine.is_playing else tr("Play (K)")
        self.play.setToolTip(literal_tip(words))
        self.play.setAccessibleName(words)
        busy = self.recorder.is_recording
        for each in (self.kind, self.play, self.speed, self.close_):
            each.setEnabled(not busy)
        self.save.setVisible(not busy)
        self.cancel.setVisible(busy)

    def record(self, widget: QWidget, target: Path) -> None:
        """Record a widget and save the film.

        Parameters
        ----------
        widget
            the view or all views
        target
            file to write, GIF, MP4 or animated PNG
        """
        self._target = target
        self.recorder.start(widget)
        self.refresh()

    def _fill(self) -> None:
        self._menu.clear()
        # The rotation is only visible in the view that turns, whichever view is active.
        turning = self._views.turning
        view = turning if self._cine.kind == "turn" else self._views.active
        other = SAVE_PROJECTION if turning is self._views.mip else SAVE_3D
        title = SAVE[view.plane] if isinstance(view, SliceView) else other
        self._menu.addAction(title).triggered.connect(lambda: self._ask_and_record(view))
        every = self._menu.addAction(tr("Save all views …"))
        every.triggered.connect(lambda: self._ask_and_record(self._views.panes))

    def _ask_and_record(self, widget: QWidget) -> None:
        folder = Path(self._context.preferences.export_folder or Path.home())
        path = ask_save(self, tr("Save movie"), folder / FILE_NAME, KINDS)
        if path is None:
            return
        from engine.io import FILM_SUFFIXES, mp4_obstacle

        # Other names get the first suffix: GIF opens everywhere.
        target = with_ending(path, FILM_SUFFIXES)
        # Before the recording, which can take a minute.
        why = mp4_obstacle() if target.suffix.lower() == ".mp4" else ""
        if why:
            return show_reason(self, tr("MP4 cannot be written"), why)
        if may_write(self, target, self._context.session):
            self._context.preferences.export_folder = str(target.parent)
            self.record(widget, target)

    def _show_progress(self, n_done: int, n_all: int) -> None:
        self.cancel.setText(tr("Cancel ({n_done} of {n_all})", n_done=n_done, n_all=n_all))

    def _tell_interrupted(self) -> None:
        self._context.session.raise_problem(Problem(NOT_SAVED, WHY_INTERRUPTED, is_fault=False))

    def _write(self, frames: list[Frame]) -> None:
        self.refresh()
        target, frame_ms = self._target, 1000 / self._cine.per_s
        # A cancelled recording has no images.
        if not frames or target is None:
            return
        from engine.io import write_film

        # Compressing some hundred images takes seconds, so it runs in a thread.
        self._context.commands.run_task(
            lambda _: write_film(frames, target, frame_ms=frame_ms),
            lambda _: self._context.session.add_log(
                "info", tr("Movie saved: {target}", target=target)
            ),
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )

    def _close(self) -> None:
        self._cine.play(False)
        self.hide()
        self._cine.changed.emit()
