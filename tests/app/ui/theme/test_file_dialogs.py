"""File dialogs and questions have our icons, which are visible in both themes."""

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

SEEN = 3.0
SIDE_PX = 32


@pytest.fixture(params=THEMES)
def theme(request, qapp):
    made = Theme(qapp, request.param)
    yield made
    made.use("dark")


def seen(icon: QIcon, ground: str) -> float:
    """The contrast of an icon on a ground."""
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


def asked(qapp: QApplication, ask, look) -> object:
    """Pass the dialog of `ask` to `look`, then cancel it; return the answer."""

    def answer() -> None:
        dialog = qapp.activeModalWidget()
        look(dialog)
        dialog.reject()

    QTimer.singleShot(0, qapp, answer)
    return ask()


@pytest.mark.parametrize("ask", ["open", "save"])
def test_buttons_of_a_file_dialog_are_visible(qtbot, qapp, theme, tmp_path, ask):
    parent = QWidget()
    qtbot.addWidget(parent)
    faint = []

    def look(dialog: QFileDialog) -> None:
        for name in BUTTONS:
            icon = dialog.findChild(QToolButton, name).icon()
            if seen(icon, theme.colours.panel) < SEEN:
                faint.append(name)

    if ask == "open":
        found = asked(qapp, lambda: ask_open(parent, "Open", str(tmp_path), "All (*)"), look)
    else:
        target = tmp_path / "a.csv"
        found = asked(qapp, lambda: ask_save(parent, "Save", target, "Tables (*.csv)"), look)
    assert found is None and faint == []


def test_folder_and_file_icons_are_visible_and_differ(theme, tmp_path):
    icons = FileIcons(QApplication.palette())
    (tmp_path / "scan.l").touch()
    folder, file = icons.icon(QFileInfo(str(tmp_path))), icons.icon(QFileInfo(f"{tmp_path}/scan.l"))
    for icon in (folder, file, icons.icon(FileIcons.IconType.Computer)):
        assert seen(icon, theme.colours.field) >= SEEN
    one, other = (each.pixmap(SIDE_PX).toImage() for each in (folder, file))
    assert one != other


def test_icon_of_a_question_is_visible(qtbot, theme):
    box = question_box(None, "Sure?", "<b>No markup</b>", "help")
    qtbot.addWidget(box)
    assert seen(QIcon(box.iconPixmap()), theme.colours.panel) >= SEEN


def test_window_has_its_own_icon(theme):
    icon = QApplication.windowIcon()
    for side in (16, 32, 64):
        image = icon.pixmap(side).toImage()
        colours = {image.pixelColor(x, x).name() for x in range(image.width())}
        assert len(colours) > 3
