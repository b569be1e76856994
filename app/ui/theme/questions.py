"""Message boxes for questions and refusals: plain text, safe default answer."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMessageBox, QWidget

from app.ui.theme.icons import draw_in
from app.views.literal_text import breakable

ICON_PX = 32


def ask(parent: QWidget | None, title: str, text: str, yes: str) -> bool:
    """Ask a question. Return and Esc give the safe answer, which is no."""
    box = question_box(parent, title, text, "help")
    agreed = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is agreed


def tell(parent: QWidget | None, title: str, text: str) -> None:
    """Say why something is not done."""
    box = question_box(parent, title, text, "info")
    box.setStandardButtons(QMessageBox.StandardButton.Ok)
    box.exec()


def ask_text(
    parent: QWidget | None, title: str, words: str, start: str, *, hidden: bool = False
) -> str:
    """Ask for a line of text, shown as dots if `hidden`; empty if it was cancelled."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setInputMode(QInputDialog.InputMode.TextInput)
    dialog.setLabelText(words)
    dialog.setTextValue(start)
    if hidden:
        dialog.setTextEchoMode(QLineEdit.EchoMode.Password)
    for line in dialog.findChildren(QLineEdit):
        line.setAccessibleName(words)
    agreed = dialog.exec()
    dialog.deleteLater()
    return dialog.textValue() if agreed else ""


def question_box(parent: QWidget | None, title: str, text: str, icon: str) -> QMessageBox:
    """Return a box with words and one of our icons, and no button yet."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setIconPixmap(draw_in(icon, box.palette()).pixmap(ICON_PX))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(breakable(text))
    return box
