"""The datasets of a file, each with a preview and its role."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.import_model import ROLES, ImportModel
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import button, label, remove_widgets
from app.views.colour.grey_raster import grey_image
from app.views.literal_text import LiteralLabel
from engine.core.visible_text import visible_line
from engine.raw_import import Dataset

PREVIEW_PX = 46
TITLES = dict(zip(ROLES, (tr("Projections"), tr("Flats"), tr("Darks"), tr("Angles")), strict=True))
LIKE = tr("{} describes a file with the same datasets. Was the scanner set up in the same way?")


class DatasetPicker(QWidget):
    """A row per dataset: central slice, path, shape and type, and role.

    Signals
    -------
    picked : name of a dataset and its role; an empty role for none
    similar_chosen : the description of a file with the same structure should be used
    """

    picked = Signal(str, str)
    similar_chosen = Signal()

    def __init__(self, model: ImportModel) -> None:
        super().__init__()
        self._model = model
        self._shown: tuple[Dataset, ...] = ()
        self.roles: dict[str, QuietCombo] = {}
        self.similar_text = label("", "muted", wrap=True)
        self.like = button(tr("Use this description"), self.similar_chosen.emit)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(8)
        self._rows.setVerticalSpacing(6)
        self._rows.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 8, 8)
        column.setSpacing(6)
        column.addWidget(label(tr("Datasets in the file"), "muted"))
        column.addLayout(self._rows)
        column.addWidget(self.similar_text)
        column.addWidget(self.like, alignment=Qt.AlignmentFlag.AlignLeft)
        self.show_datasets()

    def show_datasets(self) -> None:
        """Show the datasets of the file and their current roles."""
        preview = self._model.preview
        found = preview.datasets if preview is not None else ()
        # Rows are only rebuilt for another file, or an open list would close.
        if found is not self._shown:
            self._build(found)
        for name, combo in self.roles.items():
            combo.setCurrentIndex(max(combo.findData(self._model.role_of(name)), 0))
        like = self._model.like
        self.similar_text.setText(LIKE.format(visible_line(str(like))))
        for each in (self.similar_text, self.like):
            each.setVisible(bool(like))
        self.setVisible(bool(found))

    def _build(self, found: tuple[Dataset, ...]) -> None:
        remove_widgets(self._rows)
        self._shown, self.roles = found, {}
        for row, each in enumerate(found):
            words = QWidget()
            lines = QVBoxLayout(words)
            lines.setContentsMargins(0, 0, 0, 0)
            lines.setSpacing(0)
            lines.addWidget(label(each.name, wrap=True))
            lines.addWidget(label(each.text, "muted", wrap=True))
            self.roles[each.name] = combo = self._role(each)
            self._rows.addWidget(_preview(each), row, 0)
            self._rows.addWidget(words, row, 1)
            self._rows.addWidget(combo, row, 2)

    def _role(self, dataset: Dataset) -> QuietCombo:
        combo = QuietCombo()
        combo.addItem(tr("not used"), "")
        for role, title in TITLES.items():
            # Angles are one-dimensional, images are not.
            if dataset.is_list == (role == "angles"):
                combo.addItem(title, role)
        combo.setAccessibleName(tr("Role of {name}", name=dataset.name))
        combo.activated.connect(lambda _: self.picked.emit(dataset.name, combo.currentData()))
        return combo


def _preview(dataset: Dataset) -> LiteralLabel:
    made = LiteralLabel()
    made.setFixedSize(PREVIEW_PX, PREVIEW_PX)
    made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    made.setAccessibleName(tr("Middle slice of {name}", name=dataset.name))
    if dataset.preview is not None:
        pixels = QPixmap.fromImage(grey_image(dataset.preview))
        # Smooth scaling averages pixels, so that thin structures stay visible in the small image.
        keep, smooth = (
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        made.setPixmap(pixels.scaled(PREVIEW_PX, PREVIEW_PX, keep, smooth))
    return made
