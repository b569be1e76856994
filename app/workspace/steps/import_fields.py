"""Fields for the information that raw projections lack, with proposals."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from app.language.translation import tr
from app.state.models.import_model import ImportModel
from app.state.models.import_questions import FIELDS, ImportField
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import label, set_tone
from app.views.literal_text import literal_tip

TITLE_PX = 78
ASKED = tr("Required")


class ImportFields(QWidget):
    """A row per field: title, answer or proposal, and reason.

    Signals
    -------
    edited : key and text of an answer; an empty text removes it
    """

    edited = Signal(str, str)

    def __init__(self, model: ImportModel) -> None:
        super().__init__()
        self._model = model
        self.editors: dict[str, QLineEdit | QuietCombo] = {}
        self._titles: dict[str, QLabel] = {}
        self._reasons: dict[str, QLabel] = {}
        # Created once: `show_guesses` runs after every preview.
        self._tips = {
            field.key: f"{ASKED}: {field.tip[0].lower()}{field.tip[1:]}" for field in FIELDS
        }
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        grid.setColumnMinimumWidth(0, TITLE_PX)
        grid.setColumnStretch(1, 1)
        for i, field in enumerate(FIELDS):
            title, editor, reason = label(field.title), self._editor(field), label("", wrap=True)
            title.setBuddy(editor)
            set_tone(reason, "muted")
            grid.addWidget(title, 2 * i, 0)
            grid.addWidget(editor, 2 * i, 1)
            grid.addWidget(reason, 2 * i + 1, 1)
            self._titles[field.key], self._reasons[field.key] = title, reason
            self.editors[field.key] = editor
        grid.setRowStretch(2 * len(FIELDS), 1)
        self.show_guesses()

    def _editor(self, field: ImportField) -> QLineEdit | QuietCombo:
        editor: QLineEdit | QuietCombo
        if field.choices:
            editor = QuietCombo()
            # The first entry stands for the proposal; its text is set later.
            editor.addItem("", "")
            for choice in field.choices:
                editor.addItem(choice, choice)
            editor.activated.connect(lambda _: self._emit_edited(field.key))
        else:
            editor = QLineEdit()
            editor.editingFinished.connect(lambda: self._emit_edited(field.key))
        editor.setAccessibleName(field.title)
        editor.setToolTip(literal_tip(field.tip))
        return editor

    def _emit_edited(self, key: str) -> None:
        self.edited.emit(key, self._entered_text(key))

    def _entered_text(self, key: str) -> str:
        editor = self.editors[key]
        if isinstance(editor, QLineEdit):
            return editor.text().strip()
        return str(editor.currentData())

    def show_guesses(self) -> None:
        """Show the current proposals, and mark required fields."""
        shown = {field.key for field in self._model.fields}
        missing = self._model.missing
        for key, editor in self.editors.items():
            is_shown = key in shown
            text, why = self._model.guess(key)
            is_asked = key in missing
            default = "" if is_asked else text
            if isinstance(editor, QLineEdit):
                # A proposal is a placeholder, so that it is not confused with an answer.
                editor.setPlaceholderText(default)
            else:
                editor.setItemText(0, default or tr("from the files"))
            reason = self._reasons[key]
            reason.setText(self._tips[key] if is_asked else why)
            set_tone(reason, "warning" if is_asked else "muted")
            for each in (self._titles[key], editor):
                each.setVisible(is_shown)
            reason.setVisible(is_shown and bool(reason.text()))
