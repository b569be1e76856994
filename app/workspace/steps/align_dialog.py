"""Check if a map matches the body in the scan, move it, and use it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QDialog, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.language.translation import named, tr
from app.state.models.alignment import AlignmentModel, Placing
from app.state.models.inputs import Input
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.state.services.dialog_jobs.alignment_job import AlignmentJob
from app.state.services.saving import may_write
from app.ui.theme.file_dialogs import ask_save
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, fit_to_screen, label, set_tone
from app.views.slices.contoured_slice import ContouredSlice
from app.views.state import ViewState
from app.workspace.steps.motion_row import MotionRow
from engine.core.errors import EngineError
from engine.core.visible_text import visible_line
from engine.data import InputRole
from engine.geometry import PLANES, Point

SIZE_PX = (1080, 640)
LEVELS_PER_MM = (0.0048, 0.0125)
"""Half the value of soft tissue, for its border with air and lungs; and between tissue and bone."""
LEAD = tr(
    "The image is reconstructed from the scan without attenuation correction. The lines "
    "show the outlines of the body, lungs and bones in {name}. They should match the "
    "image."
)
HANDLING = tr(
    "Drag the lines to shift the map. Wheel or PgUp, PgDn: change slice. Right button: "
    "window. Ctrl+wheel: zoom. Middle button: pan."
)
KINDS = tr("HDF5 (*.h5);;NIfTI (*.nii.gz *.nii)")


class AlignDialog(QDialog):
    """Aligns a map. The study changes only when the aligned map has been saved."""

    def __init__(self, parent: QWidget, context: AppContext, role: InputRole) -> None:
        super().__init__(parent)
        self._context, self._theme, self._role = context, context.theme, role
        self._file: Input = context.session.study.inputs[role.key]
        self.setWindowTitle(tr("Align: {title}", title=named(role.title)))
        fit_to_screen(self, *SIZE_PX)
        self.model = AlignmentModel(self._file.content)
        self.job = AlignmentJob(context, self)
        self.state = ViewState(self)
        self.panes = [
            ContouredSlice(self.state, plane, self.model.map_at, LEVELS_PER_MM) for plane in PLANES
        ]
        self.row = MotionRow()
        self.words = label("", wrap=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self.preview = button(tr("Stop"), self._preview_or_stop)
        self.registered = button(
            tr("Registered"), self.model.apply_registration, tr("Position from image registration")
        )
        self.as_filed = button(
            tr("As in the file"), self.model.reset_position, tr("Original position of the map")
        )
        self.use = button(tr("Save and use …"), self._save_and_use, role="primary")
        self.cancel = button(tr("Cancel"), self.reject)
        self._lay_out()
        self._connect()
        self._paint()
        self._show()

    def _lay_out(self) -> None:
        panes = QHBoxLayout()
        panes.setSpacing(6)
        for pane in self.panes:
            # A drag moves the map here, so a cursor would have no function.
            pane.has_crosshair = False
            panes.addWidget(pane, 1)
        buttons = QHBoxLayout()
        for each in (self.preview, self.registered, self.as_filed):
            each.setAutoDefault(False)
            buttons.addWidget(each)
        buttons.addStretch(1)
        buttons.addWidget(self.use)
        buttons.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(label(LEAD.format(name=visible_line(self._file.name)), wrap=True))
        column.addLayout(panes, 1)
        column.addWidget(self._bar)
        column.addWidget(self.words)
        column.addWidget(self.row)
        column.addWidget(label(HANDLING, "muted", wrap=True))
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.job.event_received.connect(self.model.take)
        self.job.failed.connect(self.model.refuse)
        self.job.ended.connect(self.model.end)
        self.model.changed.connect(self._show)
        self.model.image_changed.connect(self._show_image)
        self.row.edited.connect(self._place)
        for pane in self.panes:
            pane.grasped.connect(self._start_move)
            pane.dragged.connect(self._drag)
        self._theme.changed.connect(self._paint)
        # A scan that was already being read can still open behind this dialog.
        self._context.session.study.scan_replaced.connect(self.reject)

    def open(self) -> None:
        """Show the dialog and start the registration."""
        super().open()
        self._begin()

    def _begin(self) -> None:
        # The job reports a missing scanner at once, and `begin` must not hide that message.
        self.job.start()
        self.model.begin()

    def _preview_or_stop(self) -> None:
        if self.job.is_busy:
            self.job.stop()
        else:
            self._begin()

    def done(self, result: int) -> None:
        """Stop the registration and close.

        Parameters
        ----------
        result
            result code of the dialog
        """
        self.job.stop()
        super().done(result)
        self.job.delete_afterwards(self)

    # Moving the map

    def _place(self, numbers: tuple[float, ...]) -> None:
        try:
            self.model.place(numbers)
        except EngineError as e:
            self._problem(tr("The map could not be moved."), e)
        # An invalid entry is replaced by the current motion.
        self.row.show_numbers(self.model.numbers)

    def _start_move(self) -> None:
        self._start = self.model.motion

    def _drag(self, by_mm: Point) -> None:
        if any(by_mm):
            self.model.shift(self._start, by_mm)

    def _save_and_use(self) -> None:
        target = self._asked()
        if target is None:
            return
        from engine.io import save
        from engine.protocols.privacy import without_names

        # A new file and not a changed one: the original map is an input and stays as it is.
        there = self.model.aligned()
        identify = self._context.preferences.identify
        try:
            save(there, target, there.info if identify else without_names(there.info))
        except EngineError as e:
            self._problem(tr("{name} cannot be saved.", name=target.name), e)
            return
        self._context.commands.set_input(self._role.key, str(target))
        self.accept()

    def _problem(self, title: str, fault: EngineError) -> None:
        self._context.session.raise_problem(Problem(title, str(fault)))

    def _asked(self) -> Path | None:
        """Return the file to write; None if the user cancels."""
        map_path = Path(self._file.value)
        stem = map_path.name.partition(".")[0]
        start = map_path.parent / f"{stem}-aligned.h5"
        target = ask_save(self, tr("Save the aligned map"), start, KINDS)
        if target is None or not may_write(self, target, self._context.session):
            return None
        return target

    # Display

    def _show_image(self) -> None:
        self.state.set_volume(self.model.image)

    def _show(self) -> None:
        model, busy = self.model, bool(self.model.work)
        self._bar.setVisible(busy)
        self.words.setText(model.work or model.words)
        set_tone(self.words, "muted" if model.work else model.tone)
        self.preview.setText(tr("Stop") if busy else tr("Search again"))
        self.registered.setEnabled(model.has_motion and model.placing is not Placing.FOUND)
        self.as_filed.setEnabled(model.placing is not Placing.FILE)
        self.use.setEnabled(model.placing is not Placing.FILE and not busy)
        self.row.show_numbers(model.numbers)
        for pane in self.panes:
            # The contours depend on the motion, while the image below stays in the cache.
            pane.forget_contours()

    def _paint(self) -> None:
        self.state.set_colours(view_colours(self._theme))
