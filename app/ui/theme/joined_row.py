"""Two widgets in one row if both fit, otherwise one below the other."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

MAX_STRETCH = 1000
"""Stretch of the second part, which leaves nothing for the space after it."""
ACROSS, DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom


class JoinedRow(QWidget):
    """A row that breaks in a narrow window.

    Parameters
    ----------
    first, second : the widgets; the second takes the space that is left
    first_px, second_px : widths that they need in a common row [px]; 0 takes their size hints
    """

    def __init__(
        self, first: QWidget, second: QWidget, *, first_px: int = 0, second_px: int = 0
    ) -> None:
        super().__init__()
        self._parts = ((first, first_px), (second, second_px))
        self._row = QBoxLayout(ACROSS, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addWidget(first)
        self._row.setAlignment(first, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(second, MAX_STRETCH)
        # Without the second part, the first one stays at the left.
        self._row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_LayoutOnEntireRect)

    def arrange(self) -> None:
        """Break or join the row; call after a part has changed its size."""
        needed = sum(
            wanted or each.sizeHint().width() for each, wanted in self._parts if not each.isHidden()
        )
        self._row.setDirection(ACROSS if needed <= self.width() else DOWN)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the wider part, because the row can always break."""
        hints = [each.minimumSizeHint() for each, _ in self._parts if not each.isHidden()]
        widths = [hint.width() for hint in hints]
        return QSize(max([0, *widths]), self._row.minimumSize().height())
