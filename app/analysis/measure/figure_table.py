"""A table of groups of names and values."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.ui.theme.glossary import meaning_of
from app.ui.theme.widgets import label, remove_widgets
from app.views.literal_text import literal_tip

MAX_CHARACTERS = 26
"""Maximum number of characters of name and value in one line of a narrow column."""


class FigureTable(QWidget):
    """Names and values; a row without a value is a heading."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(3)
        self._grid.setHorizontalSpacing(10)
        self._grid.setColumnStretch(1, 1)

    def show_rows(self, rows: list[tuple[str, str]]) -> None:
        """Replace all rows.

        Parameters
        ----------
        rows
            (name, value); a row with an empty value is a heading
        """
        remove_widgets(self._grid)
        at = 0
        right = Qt.AlignmentFlag.AlignRight
        for name, value in rows:
            fits = len(name) + len(value) <= MAX_CHARACTERS
            # A heading, or a name too long to share its line with the value.
            both = not value or not fits
            title = label(name, "caption" if value else "")
            title.setToolTip(literal_tip(meaning_of(name.strip())))
            self._grid.addWidget(title, at, 0, 1, 1 + both)
            at += both and bool(value)
            if value and fits:
                self._grid.addWidget(label(value, "number"), at, 1, right)
            elif value:
                # A value with an interval can be longer than the column.
                shown = label(value, "number", wrap=True)
                shown.setAlignment(right)
                self._grid.addWidget(shown, at, 0, 1, 2)
            at += 1
