"""Test that the icons of file dialogs and questions are visible in both themes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QFileInfo, QSize, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton, QWidget

from app.ui.theme.file_dialogs import BUTTONS, FileIcons, ask_open, ask_save
from app.ui.theme.questions import question_box
from app.ui.theme.theme import THEMES, Theme
from tests.app.screen_laws import contrast_in

MIN_CONTRAST = 3.0
SIDE_PX = 32


@pytest.fixture(params=THEMES)
def theme(request, qapp):
    new_theme = Theme(qapp, request.param)
    yield new_theme
    new_theme.use("dark")


def contrast_of(icon: QIcon, ground: str) -> float:
    """Return the contrast of an icon to its background."""
    pixmap = icon.pixmap(QSize(SIDE_PX, SIDE_PX), 1.0)
    image = pixmap.toImage()
    colours = [
        image.pixelColor(x, y).rgb() & 0xFFFFFF
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    ]
    many = [int(ground[1:], 16)] * (len(colours) + 1)
    return contrast_in(np.array(many + colours, np.uint32)) if colours else 1.0


def asked(qapp: QApplication, ask, check) -> object:
    """Pass the dialog that `ask` opens to `check`, then cancel it; return the answer."""

    def answer() -> None:
        dialog = qapp.activeModalWidget()
        check(dialog)
        dialog.reject()

    QTimer.singleShot(0, qapp, answer)
    return ask()


@pytest.mark.parametrize("ask", ["open", "save"])
def test_buttons_of_a_file_dialog_are_visible(qtbot, qapp, theme, tmp_path, ask):
    parent = QWidget()
    qtbot.addWidget(parent)
    faint = []

    def check(dialog: QFileDialog) -> None:
        for name in BUTTONS:
            icon = dialog.findChild(QToolButton, name).icon()
            if contrast_of(icon, theme.colours.panel) < MIN_CONTRAST:
                faint.append(name)

    if ask == "open":
        found = asked(qapp, lambda: ask_open(parent, "Open", str(tmp_path), "All (*)"), check)
    else:
        target = tmp_path / "a.csv"
        found = asked(qapp, lambda: ask_save(parent, "Save", target, "Tables (*.csv)"), check)
    assert found is None and faint == []


def test_folder_and_file_icons_are_visible_and_differ(theme, tmp_path):
    icons = FileIcons(QApplication.palette())
    (tmp_path / "scan.l").touch()
    folder, file = icons.icon(QFileInfo(str(tmp_path))), icons.icon(QFileInfo(f"{tmp_path}/scan.l"))
    for icon in (folder, file, icons.icon(FileIcons.IconType.Computer)):
        assert contrast_of(icon, theme.colours.field) >= MIN_CONTRAST
    one, other = (each.pixmap(SIDE_PX).toImage() for each in (folder, file))
    assert one != other


def test_icon_of_a_question_is_visible(qtbot, theme):
    box = question_box(None, "Sure?", "<b>No markup</b>", "help")
    qtbot.addWidget(box)
    assert contrast_of(QIcon(box.iconPixmap()), theme.colours.panel) >= MIN_CONTRAST


def test_window_has_its_own_icon(theme):
    icon = QApplication.windowIcon()
    for side in (16, 32, 64):
        image = icon.pixmap(side).toImage()
        colours = {image.pixelColor(x, x).name() for x in range(image.width())}
        assert len(colours) > 3
