"""Choice of the values to export from an image in Bq/mL: Bq/mL or SUV."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from app.language.keys import name_of_key
from app.language.translation import tr
from app.ui.forms.fields import QuietCombo
from app.views.literal_text import literal_tip
from engine.analysis.quality import SUV_TITLES, SuvKind, in_suv, why_no_suv
from engine.data import Plain, Volume

BQ_ML = "Bq/mL"


class SuvChoice(QuietCombo):
    """Combo box for images in Bq/mL; entries that are not available state the reason."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Values"))
        # Otherwise Qt keeps the width of the first image's entries.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._volume: Volume | None = None
        self.reasons: dict[str, str] = {}

    def offer(self, volume: Volume) -> None:
        """Offer the units that an image can be exported in.

        Parameters
        ----------
        volume
            image; only one in Bq/mL makes the box visible
        """
        # The dialog calls this at every key, and the choice must survive.
        if volume is self._volume:
            return
        self._volume = volume
        self.clear()
        self.addItem(tr("Values in {unit}", unit=BQ_ML), "")
        self.setVisible(volume.unit == BQ_ML)
        self.reasons = {}
        for kind in SUV_TITLES if volume.unit == BQ_ML else ():
            self.addItem(name_of_key(kind), kind)
            reason = why_no_suv(volume, kind)
            if reason:
                self._disable_entry(self.count() - 1, kind, reason)

    def _disable_entry(self, row: int, kind: str, reason: str) -> None:
        self.reasons[kind] = reason
        model = self.model()
        if isinstance(model, QStandardItemModel):
            item = model.item(row)
            # The entry stays visible but cannot be selected; its tooltip explains why.
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            item.setToolTip(literal_tip(reason))

    @property
    def kind(self) -> SuvKind | None:
        """The selected kind of SUV; None for the original values."""
        return next((kind for kind in SUV_TITLES if kind == self.currentData()), None)

    def converted(self, volume: Volume, provenance: Plain | None) -> tuple[Volume, Plain | None]:
        """Return the image in the selected unit, with its provenance.

        Parameters
        ----------
        volume
            image in Bq/mL
        provenance
            provenance of the image; None stays None

        Returns
        -------
        tuple
            image and provenance, which records the conversion
        """
        return in_unit_of(volume, provenance, self.kind)


def in_unit_of(
    volume: Volume, provenance: Plain | None, kind: SuvKind | None
) -> tuple[Volume, Plain | None]:
    """Return an image as a kind of SUV, with its provenance. A thread may call it.

    Parameters
    ----------
    volume
        image in Bq/mL
    provenance
        provenance of the image; None stays None
    kind
        kind of SUV; None for the original values

    Returns
    -------
    tuple
        image and provenance, which records the conversion
    """
    if kind is None:
        return volume, provenance
    made = in_suv(volume, kind)
    return made, None if provenance is None else {**provenance, "suv": made.info["suv"]}
