"""Message boxes for questions and refusals: plain text, with the safe answer as default."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLabel, QLineEdit, QMessageBox, QWidget

from app.ui.theme.icons import draw_in
from app.views.literal_text import breakable
from engine.core.visible_text import visible_line, visible_text

ICON_PX = 32


def ask(parent: QWidget | None, title: str, text: str, yes: str) -> bool:
    """Ask a question. Return and Esc give the safe answer, which is no.

    Parameters
    ----------
    parent
        parent of the dialog
    title
        its title
    text
        the question
    yes
        text of the button that agrees

    Returns
    -------
    True if the user agreed
    """
    box = question_box(parent, title, text, "help")
    agreed = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    # A user who presses Return without reading must not delete anything.
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is agreed


def tell(parent: QWidget | None, title: str, text: str) -> None:
    """Show why an action is not possible.

    Parameters
    ----------
    parent
        parent of the dialog
    title
        its title
    text
        the reason
    """
    box = question_box(parent, title, text, "info")
    box.setStandardButtons(QMessageBox.StandardButton.Ok)
    box.exec()


def ask_text(
    parent: QWidget | None, title: str, words: str, start: str, *, hidden: bool = False
) -> str:
    """Ask for a line of text.

    Parameters
    ----------
    parent
        parent of the dialog
    title
        its title
    words
        label of the field
    start
        initial text
    hidden
        True to show dots, for a passphrase

    Returns
    -------
    "" if the user cancelled
    """
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(visible_line(title))
    dialog.setInputMode(QInputDialog.InputMode.TextInput)
    dialog.setLabelText(visible_text(words))
    for shown in dialog.findChildren(QLabel):
        # Names of protocols and files may look like HTML, and Qt would guess.
        shown.setTextFormat(Qt.TextFormat.PlainText)
    dialog.setTextValue(start)
    if hidden:
        dialog.setTextEchoMode(QLineEdit.EchoMode.Password)
    for line in dialog.findChildren(QLineEdit):
        # Qt does not connect the label with the field for screen readers.
        line.setAccessibleName(words)
    agreed = dialog.exec()
    dialog.deleteLater()
    return dialog.textValue() if agreed else ""


def question_box(parent: QWidget | None, title: str, text: str, icon: str) -> QMessageBox:
    """Return a message box without buttons.

    Parameters
    ----------
    parent
        parent of the dialog
    title
        its title
    text
        the message, shown literally
    icon
        key of `icons.GLYPHS`
    """
    box = QMessageBox(parent)
    box.setWindowTitle(visible_line(title))
    box.setIconPixmap(draw_in(icon, box.palette()).pixmap(ICON_PX))
    # File names may look like HTML.
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(breakable(visible_text(text)))
    return box
