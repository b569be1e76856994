"""File dialogs of the desktop, or those of Qt in the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QFileInfo
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import (
    QFileDialog,
    QFileIconProvider,
    QHeaderView,
    QSplitter,
    QToolButton,
    QTreeView,
    QWidget,
)

from app.language.translation import tr
from app.ui.theme.icons import draw_in

SIZE_PX, PLACES_PX = (760, 480), 120
BUTTONS = {
    "backButton": "back",
    "forwardButton": "forward",
    "toParentButton": "up",
    "newFolderButton": "new_folder",
    "listModeButton": "list",
    "detailModeButton": "details",
}
"""Object names of buttons in Qt's dialog, and our icons for them."""
FIELDS = {
    "lookInCombo": tr("Folder"),
    "fileNameEdit": tr("File name"),
    "fileTypeCombo": tr("File type"),
    "treeView": tr("Files"),
    "listView": tr("Files"),
    "sidebar": tr("Places"),
}
"""Further parts of the dialog and their accessible names."""


class FileIcons(QFileIconProvider):
    """Folders, disks and files in the colours of a palette."""

    def __init__(self, palette: QPalette) -> None:
        super().__init__()
        self._folder, self._file, self._disk = (
            draw_in(name, palette) for name in ("folder", "scan", "disk")
        )

    def icon(self, of: QFileIconProvider.IconType | QFileInfo) -> QIcon:
        kind = QFileIconProvider.IconType
        if isinstance(of, QFileInfo):
            found = self._disk if of.isRoot() else self._folder if of.isDir() else self._file
            return QIcon(found)
        disks = (kind.Computer, kind.Drive, kind.Network)
        return QIcon(self._disk if of in disks else self._file if of is kind.File else self._folder)


def ask_open(parent: QWidget, title: str, folder: str, kinds: str) -> Path | None:
    """Ask for an existing file.

    Parameters
    ----------
    parent
        parent of the dialog
    title
        its title
    folder
        initial folder; "" for the current one
    kinds
        name filters of Qt, separated by ";;"

    Returns
    -------
    None if the user cancelled
    """
    return _chosen_path(_dialog(parent, title, folder, kinds, QFileDialog.FileMode.ExistingFile))


def ask_folder(parent: QWidget, title: str, folder: str) -> Path | None:
    """Ask for a folder, with the arguments of `ask_open`.

    Returns
    -------
    None if the user cancelled
    """
    made = _dialog(parent, title, folder, "", QFileDialog.FileMode.Directory)
    made.setOption(
        QFileDialog.Option.ShowDirsOnly, False
    )  # its files help the user to recognise it
    return _chosen_path(made)


def ask_open_all(parent: QWidget, title: str, folder: str, kinds: str) -> tuple[Path, ...]:
    """Ask for one or more existing files, with the arguments of `ask_open`.

    Returns
    -------
    an empty tuple if the user cancelled
    """
    return _chosen_paths(_dialog(parent, title, folder, kinds, QFileDialog.FileMode.ExistingFiles))


def ask_save(parent: QWidget, title: str, start: Path, kinds: str) -> Path | None:
    """Ask for a file to write, with the arguments of `ask_open`; `start` suggests folder and name.

    Replacing an existing file is confirmed later, when the name has its suffix.

    Returns
    -------
    None if the user cancelled
    """
    made = _dialog(parent, title, str(start.parent), kinds, QFileDialog.FileMode.AnyFile)
    made.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    # Qt would ask before the suffix is added, and so about another file.
    made.setOption(QFileDialog.Option.DontConfirmOverwrite)
    made.selectFile(start.name)
    return _chosen_path(made)


def with_ending(chosen: Path, endings: Sequence[str]) -> Path:
    """Return a chosen file with a suffix of its format.

    File dialogs of some desktops do not add the suffix, by which readers recognise a file.

    Parameters
    ----------
    chosen
        file that the user has typed or chosen
    endings
        suffixes of the format, such as ".nii.gz"; the first one is added if the name has none
    """
    # `with_suffix` would cut a name that contains dots, such as a date.
    has_one = chosen.name.lower().endswith(tuple(endings))
    return chosen if has_one else chosen.with_name(chosen.name + endings[0])


def _dialog(
    parent: QWidget, title: str, folder: str, kinds: str, mode: QFileDialog.FileMode
) -> QFileDialog:
    made = QFileDialog(parent, title, folder, kinds)
    made.setFileMode(mode)
    made.setOption(QFileDialog.Option.HideNameFilterDetails)  # otherwise a line of twenty suffixes
    made.resize(*SIZE_PX)
    return made


def _chosen_path(dialog: QFileDialog) -> Path | None:
    return next(iter(_chosen_paths(dialog)), None)


def _chosen_paths(dialog: QFileDialog) -> tuple[Path, ...]:
    icons = FileIcons(dialog.palette())  # Qt does not take ownership
    dialog.setIconProvider(icons)
    _style_dialog(dialog)
    agreed = bool(dialog.exec())
    chosen = dialog.selectedFiles()
    # Without this, each dialog would live as long as its parent.
    dialog.deleteLater()
    return tuple(Path(each) for each in chosen) if agreed else ()


def _style_dialog(dialog: QFileDialog) -> None:
    """Give Qt's dialog our icons and fitting columns; native dialogs have neither."""
    for name, icon in BUTTONS.items():
        # Object names are not part of Qt's interface, so a missing part is ignored.
        found = dialog.findChild(QToolButton, name)
        if isinstance(found, QToolButton):
            found.setIcon(draw_in(icon, dialog.palette()))
    for name, title in FIELDS.items():
        part = dialog.findChild(QWidget, name)
        if isinstance(part, QWidget):
            part.setAccessibleName(title)
    parts = dialog.findChild(QSplitter, "splitter")
    if isinstance(parts, QSplitter):
        parts.setSizes([PLACES_PX, SIZE_PX[0] - PLACES_PX])
    details = dialog.findChild(QTreeView, "treeView")
    if isinstance(details, QTreeView):
        head = details.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
