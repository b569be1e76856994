"""The three buttons that judge an image."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from app.language.translation import tr
from app.views.literal_text import literal_tip
from engine.results.reports import JUDGEMENTS, Judgement

SHORT: dict[Judgement, str] = {
    "acceptable": tr("Accept"),
    "acceptable with remarks": tr("Remarks"),
    "not acceptable": tr("Reject"),
}
TIPS: dict[Judgement, str] = {
    "acceptable": tr("The image is acceptable"),
    "acceptable with remarks": tr("The image is acceptable with remarks"),
    "not acceptable": tr("The image is not acceptable"),
}
PLACES = ("first", "middle", "last")


class JudgementButtons(QWidget):
    """Three exclusive buttons; none is selected at first, so that nobody accepts by accident."""

    def __init__(self) -> None:
        super().__init__()
        self.group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.buttons: dict[Judgement, QToolButton] = {}
        for place, judgement in zip(PLACES, JUDGEMENTS, strict=True):
            made = QToolButton()
            made.setText(SHORT[judgement])
            made.setToolTip(literal_tip(TIPS[judgement]))
            made.setCheckable(True)
            made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            made.setProperty("role", "segment")
            made.setProperty("segment", place)
            self.group.addButton(made)
            row.addWidget(made, 1)
            self.buttons[judgement] = made

    @property
    def chosen(self) -> Judgement | None:
        """The selected judgement; None if there is none."""
        return next((j for j, each in self.buttons.items() if each.isChecked()), None)

    def clear(self) -> None:
        """Clear the selection."""
        # An exclusive group of Qt does not allow that no button is checked.
        self.group.setExclusive(False)
        for each in self.buttons.values():
            each.setChecked(False)
        self.group.setExclusive(True)
