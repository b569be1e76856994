"""Message boxes for questions and refusals: plain text, with the safe answer as default."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QClipboard, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QInputDialog, QLabel, QLineEdit, QMenu, QMessageBox, QWidget

from app.language.translation import tr
from app.ui.theme.icons import draw_in
from app.views.literal_text import as_written, wrapping
from engine.core.visible_text import visible_line, visible_text

ICON_PX = 32
LABEL = "qt_msgbox_label"
"""Name that Qt gives to the label with the message."""


class MessageBox(QMessageBox):
    """A message box with a plain text that can be selected and copied exactly as it was set.

    Long words have invisible breaks, or they would be cut. Copied text has none, because a
    path or an address with breaks is not found.

    Parameters
    ----------
    parent : parent of the dialog
    """

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._text = ""
        # File names may look like HTML.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label: QLabel | None = self.findChild(QLabel, LABEL)
        if self._label is not None:
            self._label.installEventFilter(self)

    def setText(self, text: str) -> None:
        self._text = visible_text(text)
        super().setText(wrapping(self._text))

    def text(self) -> str:
        return self._text

    @property
    def selected_text(self) -> str:
        """The selected part of the text, without invisible breaks; empty if nothing is selected."""
        label = self._label
        # Qt separates selected paragraphs by U+2029.
        words = label.selectedText() if label is not None else ""
        return as_written(words).replace("\u2029", "\n")

    def copy(self) -> None:
        """Copy the selected text, or all of it, to the clipboard."""
        QGuiApplication.clipboard().setText(self.selected_text or self._text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy):
            if event.type() == QEvent.Type.KeyPress:
                self.copy()
            event.accept()
            return True
        if isinstance(event, QContextMenuEvent):
            self._show_menu(event)
            return True
        if event.type() == QEvent.Type.MouseButtonRelease:
            # After the label, which puts the selection with its breaks there.
            QTimer.singleShot(0, self, self._offer_selection)
        return super().eventFilter(watched, event)

    def _show_menu(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Copy")).triggered.connect(self.copy)
        menu.popup(event.globalPos())

    def _offer_selection(self) -> None:
        """Replace the text that a click of the middle button pastes on X11."""
        clipboard, words = QGuiApplication.clipboard(), self.selected_text
        if words and clipboard.supportsSelection():
            clipboard.setText(words, QClipboard.Mode.Selection)


def ask(parent: QWidget | None, title: str, text: str, yes: str) -> bool:
    """Ask a question with the arguments of `question_box`; `yes` is the button that agrees.

    Return and Esc give the safe answer, which is no.

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


def show_reason(parent: QWidget | None, title: str, text: str) -> None:
    """Show why an action is not possible. The arguments are those of `question_box`."""
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
    box = MessageBox(parent)
    box.setWindowTitle(visible_line(title))
    box.setIconPixmap(draw_in(icon, box.palette()).pixmap(ICON_PX))
    box.setText(text)
    return box
