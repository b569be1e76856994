"""Editors for text, and for date and time."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtWidgets import QLineEdit

from app.language.translation import tr
from app.ui.forms.fields import Editor, Value
from app.views.literal_text import literal_tip

MOMENT_HINT = "2026-11-22 11:00"
MOMENT_TIP = tr(
    "Date and time, for example 2026-11-22 11:00. Add a time zone such as +01:00 at the end."
)


def moment_text(moment: datetime) -> str:
    """Format a date and time without seconds and time zone if they are zero or missing.

    Parameters
    ----------
    moment
        the date and time
    """
    whole = moment.second == 0 and moment.microsecond == 0
    # A space is easier to read than the "T" of ISO 8601, and both can be parsed.
    return moment.isoformat(" ", "minutes" if whole else "auto")


class TextEditor(Editor):
    """A line of text. Empty means None if the field is optional."""

    is_inline = True

    def __init__(self, optional: bool = False, hint: str = "") -> None:
        super().__init__()
        self._optional = optional
        self._line = QLineEdit()
        self._line.setPlaceholderText(hint)
        self._line.editingFinished.connect(self.edited)
        self._fill(self._line)

    def raw(self) -> Value:
        return self._line.text() or (None if self._optional else "")

    def show_value(self, value: Value) -> None:
        self._line.setText("" if value is None else str(value))


class MomentEditor(TextEditor):
    """A date and time. Empty means None."""

    def __init__(self, hint: str = "") -> None:
        super().__init__(optional=True, hint=hint or MOMENT_HINT)
        self._line.setToolTip(literal_tip(MOMENT_TIP))

    def raw(self) -> Value:
        # The text is not parsed here: the settings class accepts several formats.
        return self._line.text().strip() or None

    def show_value(self, value: Value) -> None:
        self._line.setText("" if value is None else moment_text(value))
