"""Every dialog and page, in both themes: on its screen, nothing cut, everything named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTabWidget,
    QWidget,
)

from app.export.export_dialog import ExportDialog
from app.look.theme import THEMES
from app.look.widgets import fitted
from app.shell.guide import GuideWindow
from app.shell.help import HelpDialog
from tests.app.shell.test_fits_the_screen import cut_labels, long_volume

SCREEN = QSize(1280, 720)


def unnamed(inside: QWidget) -> list[str]:
    """Return the kinds of widgets that Tab reaches and a screen reader has no name for."""
    return [
        f"{type(each).__name__} {each.objectName()}"
        for each in inside.findChildren(QWidget)
        if each.isVisible() and _is_reached(each) and not _name_of(each)
    ]


def _is_reached(widget: QWidget) -> bool:
    inner = isinstance(widget.parent(), QAbstractSpinBox | QComboBox)
    own = widget.focusProxy() is None and not widget.objectName().startswith("qt_")
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and own and not inner


def _name_of(widget: QWidget) -> str:
    if isinstance(widget, QTabWidget):
        return widget.tabText(0)
    words = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    return widget.accessibleName() or words


def without_tips(inside: QWidget) -> list[str]:
    """Return the words of visible buttons that have no tip; those of dialogs say what they do."""
    return [
        each.text() or type(each).__name__
        for each in inside.findChildren(QAbstractButton)
        if each.isVisible() and not each.toolTip() and not _is_plain(each)
    ]


def _is_plain(button: QAbstractButton) -> bool:
    is_own = button.objectName().startswith("qt_")
    return is_own or isinstance(button.parent(), QDialogButtonBox | QComboBox)


def show_pages(window) -> list[str]:
    """Walk through steps and tabs; return what is wrong on them."""
    faults = []
    for step in window.steps:
        step.set_open(True)
    for index in range(window.tabs.count()):
        window.tabs.setCurrentIndex(index)
        for _ in range(3):  # wrapped words ask for height once they know their width
            QApplication.processEvents()
        faults += [*unnamed(window), *without_tips(window), *cut_labels(window)]
    return faults


@pytest.mark.parametrize("theme", THEMES)
def test_the_window_is_named_and_whole(qtbot, qapp, window, theme):
    window.context.theme.use(theme)
    window.resize(fitted(QSize(1440, 900), SCREEN))
    qapp.processEvents()
    assert show_pages(window) == []
    window.session.show_file(long_volume(), "picture.nii")
    qapp.processEvents()
    assert show_pages(window) == []
    window.context.theme.use("dark")


DIALOGS: dict[str, Callable[..., QDialog]] = {
    "export": lambda window, folder: ExportDialog(
        window, window.session.run.record.images.items, 0, folder
    ),
    "help": lambda window, _: HelpDialog(window),
    "guide": lambda window, _: GuideWindow(window),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_is_named_and_on_its_screen(qtbot, qapp, window, tmp_path, name):
    window.session.show_file(long_volume(), "picture.nii")
    dialog = DIALOGS[name](window, tmp_path)
    qtbot.addWidget(dialog)
    for theme in THEMES:
        window.context.theme.use(theme)
        dialog.show()
        qapp.processEvents()
        assert unnamed(dialog) == []
        assert cut_labels(dialog) == []
        needed = dialog.minimumSizeHint().expandedTo(dialog.minimumSize())
        assert fitted(needed, SCREEN) == needed
        for each in dialog.findChildren(QAbstractButton):
            assert each.text() or each.toolTip() or not each.isVisible()
    window.context.theme.use("dark")


def test_what_has_no_name_would_be_found(qtbot):
    from PySide6.QtWidgets import QLineEdit, QPushButton

    panel = QWidget()
    qtbot.addWidget(panel)
    line, button = QLineEdit(panel), QPushButton(panel)
    panel.show()
    assert unnamed(panel) == ["QLineEdit ", "QPushButton "]
    assert without_tips(panel) == ["QPushButton"]
    line.setAccessibleName("File")
    button.setText("Save")
    assert unnamed(panel) == [] and without_tips(panel) == ["Save"]
