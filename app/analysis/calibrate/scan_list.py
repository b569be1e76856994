"""The list of scans for one normalisation."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListWidget, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.preferences import Preferences
from app.ui.theme.file_dialogs import ask_open_all
from app.ui.theme.widgets import button
from app.views.literal_text import literal_tip
from engine.core.visible_text import visible_line
from engine.io import LISTMODE_READERS, SINOGRAM_READERS, suffixes_of

HEIGHT_PX = 84


class ScanList(QWidget):
    """List of scans by file name; tooltips show the folders.

    Parameters
    ----------
    preferences : stores the folder of the last file
    scans : files in the list at first
    takes_sinograms : True for list mode and sinograms, False for list mode only
    """

    changed = Signal()

    def __init__(
        self,
        preferences: Preferences,
        scans: tuple[Path, ...] = (),
        *,
        takes_sinograms: bool = False,
    ) -> None:
        super().__init__()
        self._preferences, self._takes_sinograms = preferences, takes_sinograms
        self.paths: list[Path] = []
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Scans of the source"))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        # Names of one series differ at the end, so the middle is left out.
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedHeight(HEIGHT_PX)
        kinds = (
            tr("List-mode scans or sinograms of point sources")
            if takes_sinograms
            else tr("List-mode scans of the same source")
        )
        self.add = button(tr("Add …"), self._add_chosen, kinds)
        self.remove = button(
            tr("Remove"), self._remove, tr("Remove the selected scans from the list")
        )
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for each in (self.add, self.remove):
            each.setAutoDefault(False)
            buttons.addWidget(each)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.list)
        column.addLayout(buttons)
        self.list.itemSelectionChanged.connect(self._enable_remove)
        self.take(scans)

    def take(self, paths: tuple[Path, ...]) -> None:
        """Add scans that are not in the list yet.

        Parameters
        ----------
        paths
            files; duplicates are ignored
        """
        self.paths += [path for path in dict.fromkeys(paths) if path not in self.paths]
        self._show()

    def _show(self) -> None:
        self.list.clear()
        for path in self.paths:
            self.list.addItem(visible_line(path.name))
            self.list.item(self.list.count() - 1).setToolTip(literal_tip(str(path)))
        self._enable_remove()
        self.changed.emit()

    def _enable_remove(self) -> None:
        self.remove.setEnabled(bool(self.list.selectedItems()))

    def _add_chosen(self) -> None:
        readers = (LISTMODE_READERS, *((SINOGRAM_READERS,) if self._takes_sinograms else ()))
        suffixes = dict.fromkeys(suffix for each in readers for suffix in suffixes_of(each))
        kinds = " ".join(f"*{suffix}" for suffix in suffixes)
        folder = self._preferences.folder_last_used
        filters = (
            tr("List-mode scans and sinograms ({kinds});;All files (*)", kinds=kinds)
            if self._takes_sinograms
            else tr("List-mode scans ({kinds});;All files (*)", kinds=kinds)
        )
        found = ask_open_all(self, tr("Add scans of the source"), folder, filters)
        if found:
            self._preferences.folder_last_used = str(found[0].parent)
            self.take(found)

    def _remove(self) -> None:
        # Rows are collected first, because removing one shifts the others.
        removed = {self.list.row(item) for item in self.list.selectedItems()}
        self.paths = [path for k, path in enumerate(self.paths) if k not in removed]
        self._show()
