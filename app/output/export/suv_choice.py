"""Values to write of an image in Bq/mL: these, or SUV where dose, times and body are known."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from app.language.translation import tr
from app.ui.forms.fields import QuietCombo
from app.views.literal_text import literal_tip
from engine.analysis.quality import SUV_TITLES, SuvKind, in_suv, why_no_suv
from engine.data import Plain, Volume

BQ_ML = "Bq/mL"


class SuvChoice(QuietCombo):
    """Offered for images in Bq/mL alone; what cannot be says why."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Values"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._volume: Volume | None = None
        self.reasons: dict[str, str] = {}

    def offer(self, volume: Volume) -> None:
        """Offer what can be made of an image."""
        if volume is self._volume:
            return
        self._volume = volume
        self.clear()
        self.addItem(tr("Values in {unit}", unit=volume.unit or tr("no unit")), "")
        self.setVisible(volume.unit == BQ_ML)
        self.reasons = {}
        for kind, words in SUV_TITLES.items() if volume.unit == BQ_ML else ():
            self.addItem(tr("SUV {words}", words=words), kind)
            reason = why_no_suv(volume, kind)
            if reason:
                self._refuse(self.count() - 1, kind, reason)

    def _refuse(self, row: int, kind: str, reason: str) -> None:
        self.reasons[kind] = reason
        model = self.model()
        if isinstance(model, QStandardItemModel):
            item = model.item(row)
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            item.setToolTip(literal_tip(reason))

    @property
    def kind(self) -> SuvKind | None:
        """The kind of SUV that is chosen; None for the values as they are."""
        return next((kind for kind in SUV_TITLES if kind == self.currentData()), None)

    def converted(self, volume: Volume, provenance: Plain | None) -> tuple[Volume, Plain | None]:
        """Return the image as it was chosen, and its provenance with how."""
        kind = self.kind
        if kind is None:
            return volume, provenance
        made = in_suv(volume, kind)
        return made, None if provenance is None else {**provenance, "suv": made.info["suv"]}
