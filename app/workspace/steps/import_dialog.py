"""Import raw projections: preview them while the user enters missing information."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.models.import_model import ImportModel
from app.state.services.context import AppContext
from app.state.services.dialog_jobs.import_job import ImportJob
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, fit_to_screen, label, scrolled, set_tone
from app.views.colour.grey_raster import GreyRaster, RasterTile
from app.workspace.steps.dataset_picker import DatasetPicker
from app.workspace.steps.import_fields import ImportFields
from engine.core.visible_text import visible_line

SIZE_PX = (1120, 720)
FORM_PX = 350
BAR_PX = 4
LEAD = tr(
    "{name} lacks information needed for a reconstruction. Values found in its files are "
    "shown in grey on the left. Correct any wrong values and enter the missing ones."
)
READINGS = {
    (False, False): (tr("counter-clockwise"), tr("Source counter-clockwise, columns to the right")),
    (True, False): (tr("clockwise"), tr("Source clockwise, columns to the right")),
    (False, True): (
        tr("counter-clockwise, mirrored"),
        tr("Source counter-clockwise, columns to the left"),
    ),
    (True, True): (tr("clockwise, mirrored"), tr("Source clockwise, columns to the left")),
}
"""Texts of the four combinations, by clockwise and mirrored."""
PICK = tr(
    "Which slice is sharp and not mirrored? A single image does not show the direction of rotation."
)


class ImportDialog(QDialog):
    """Imports raw projections. Nothing is written until the user agrees; then the scan opens.

    Parameters
    ----------
    parent : parent window
    context : context of the window
    source : file or folder of the data
    described : called with the path of the description, and the fingerprint of the scan that it
        describes; None opens the scan
    """

    def __init__(
        self,
        parent: QWidget | None,
        context: AppContext,
        source: Path,
        described: Callable[[Path, str], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self._context, self._theme = context, context.theme
        # Opened like any file, so that the reader checks the new description.
        self._described = described or (lambda path, _: context.commands.offer("", path))
        self.setWindowTitle(tr("Import {name}", name=visible_line(source.name)))
        fit_to_screen(self, *SIZE_PX)
        self.model = ImportModel(source)
        self.job = ImportJob(context.commands, self.model, self)
        self.datasets = DatasetPicker(self.model)
        self.fields = ImportFields(self.model)
        self.projection = GreyRaster(tr("Projection"))
        self.sinogram = GreyRaster(tr("Sinogram of the middle row"), stretched=True)
        self.slice = GreyRaster(tr("Middle slice"))
        self.tiles = {key: RasterTile(*words) for key, words in READINGS.items()}
        self.words = label("", wrap=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(BAR_PX)
        self.name = QLineEdit()
        self.name.setAccessibleName(tr("File name for the description"))
        self.write = button(
            tr("Save and add to queue") if described else tr("Save and open"),
            self._write,
            role="primary",
        )
        self.cancel = button(tr("Cancel"), self.reject)
        self._lay_out()
        self._connect()
        self._paint()
        self._show()

    def _lay_out(self) -> None:
        left = QWidget()
        parts = QVBoxLayout(left)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.addWidget(self.datasets)
        parts.addWidget(self.fields, 1)
        form = scrolled(left)
        form.setFixedWidth(FORM_PX)
        rasters = QGridLayout()
        rasters.setSpacing(6)
        rasters.addWidget(self.projection, 0, 0)
        rasters.addWidget(self.sinogram, 1, 0)
        rasters.addWidget(self.slice, 0, 1, 2, 1)
        rasters.setColumnStretch(0, 2)
        rasters.setColumnStretch(1, 3)
        tiles = QHBoxLayout()
        tiles.setSpacing(4)
        for tile in self.tiles.values():
            tiles.addWidget(tile, 0, Qt.AlignmentFlag.AlignTop)
        tiles.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addLayout(rasters, 1)
        right.addWidget(label(PICK, "muted", wrap=True))
        right.addLayout(tiles)
        middle = QHBoxLayout()
        middle.setSpacing(14)
        middle.addWidget(form)
        middle.addLayout(right, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(label(tr("Save as"), "muted"))
        buttons.addWidget(self.name, 1)
        buttons.addStretch(1)
        buttons.addWidget(self.write)
        buttons.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(label(LEAD.format(name=visible_line(self.model.source.name)), wrap=True))
        column.addLayout(middle, 1)
        column.addWidget(self._bar)
        column.addWidget(self.words)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.model.changed.connect(self._show)
        self.fields.edited.connect(self.model.answer)
        self.datasets.picked.connect(self.model.pick_dataset)
        self.datasets.similar_chosen.connect(self.model.use_similar)
        self.job.written.connect(self._open_written)
        self.job.refused.connect(self._refuse)
        self._theme.changed.connect(self._paint)
        for key, tile in self.tiles.items():
            tile.clicked.connect(lambda _=False, k=key: self._pick(k))
        self.cancel.setAutoDefault(False)
        # Enter in a field must not save an incomplete description.
        self.write.setAutoDefault(False)

    def open(self) -> None:
        """Show the dialog and start the first preview."""
        super().open()
        # Qt would give the focus to the first field, and the wheel could then change its value.
        self.setFocus()
        self.job.refresh()

    def done(self, result: int) -> None:
        """Stop the previews and close.

        Parameters
        ----------
        result
            result code of the dialog
        """
        self.job.stop()
        super().done(result)
        self.deleteLater()

    def _pick(self, key: tuple[bool, bool]) -> None:
        preview = self.model.preview
        for reading in preview.readings if preview is not None else ():
            if (reading.clockwise, reading.mirrored) == key:
                self.model.pick(reading)

    def _write(self) -> None:
        draft, name = self.model.draft, self.name.text().strip()
        if draft is not None and self.model.is_complete:
            # An empty field uses the proposed name in its placeholder.
            self.job.write(draft, name or draft.path.name)

    def _open_written(self, path: Path, fingerprint: str) -> None:
        self.accept()
        self._described(path, fingerprint)

    def _refuse(self, text: str) -> None:
        self.words.setText(text)
        set_tone(self.words, "missing")

    # Display

    def _show(self) -> None:
        model = self.model
        preview, draft = model.preview, model.draft
        self.datasets.show_datasets()
        self.fields.show_guesses()
        self.projection.show_raster(preview.projection if preview else None)
        self.sinogram.show_raster(preview.sinogram if preview else None)
        readings = {(r.clockwise, r.mirrored): r.image for r in preview.readings} if preview else {}
        # The first combination is the one that the current answers select.
        now = preview.readings[0] if preview and preview.readings else None
        self.slice.show_raster(now.image if now else None)
        for key, tile in self.tiles.items():
            tile.show_raster(readings.get(key))
            tile.setChecked(now is not None and key == (now.clockwise, now.mirrored))
        self._bar.setVisible(model.is_busy)
        self.words.setText(model.words)
        set_tone(self.words, model.tone)
        self.write.setEnabled(model.is_complete)
        if draft is not None:
            self.name.setPlaceholderText(visible_line(draft.path.name))

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        for each in (self.projection, self.sinogram, self.slice):
            each.set_colours(colours)
        for tile in self.tiles.values():
            tile.set_colours(colours)
