"""Dialog to choose one of the scans and images in a folder, such as that of a patient."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.ui.theme.widgets import button, fit_to_screen, label
from app.views.literal_text import literal_tip
from engine.core.errors import FolderItem
from engine.core.visible_text import visible_line

SIZE_PX = (720, 420)


class FolderDialog(QDialog):
    """List of scans and images, from which one is opened.

    Parameters
    ----------
    parent
        parent window
    folder
        folder of the items
    items
        scans and images to choose from
    open_item
        opens the file of the selected item
    queue_all
        adds all scans among the items to the queue
    """

    def __init__(
        self,
        parent: QWidget | None,
        folder: Path,
        items: tuple[FolderItem, ...],
        open_item: Callable[[Path], object],
        queue_all: Callable[[], object],
    ) -> None:
        super().__init__(parent)
        # Each folder gets a new dialog; closed ones must not stay in memory.
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._items, self._open_item, self._queue_all = items, open_item, queue_all
        self.setWindowTitle(tr("Open from {folder}", folder=visible_line(folder.name)))
        fit_to_screen(self, *SIZE_PX)
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([tr("Scan or image"), tr("Format")])
        self.tree.setRootIsDecorated(False)
        self.tree.setAccessibleName(tr("Scans and images in the folder"))
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        for item in items:
            row = QTreeWidgetItem([visible_line(item.place(folder)), visible_line(item.text)])
            for place, text in enumerate((str(item.path), item.text)):
                row.setToolTip(place, literal_tip(text))
            self.tree.addTopLevelItem(row)
        self.open_chosen = button(tr("Open"), self._open, role="primary")
        self.queue_all = button(tr("Add all scans to the queue"), self._add_all)
        self.queue_all.setAutoDefault(False)
        buttons = QHBoxLayout()
        buttons.addWidget(self.queue_all)
        buttons.addStretch(1)
        buttons.addWidget(self.open_chosen)
        column = QVBoxLayout(self)
        words = tr("The folder contains {n:,} scans and images. Choose one.", n=len(items))
        column.addWidget(label(words, wrap=True))
        column.addWidget(self.tree, 1)
        column.addLayout(buttons)
        # Double click or Return, as the desktop defines it.
        self.tree.itemActivated.connect(lambda *_: self._open())
        first = self.tree.topLevelItem(0)
        if first is not None:
            self.tree.setCurrentItem(first)

    def _add_all(self) -> None:
        self.accept()
        self._queue_all()

    def _open(self) -> None:
        chosen = self.tree.currentItem()
        if chosen is None:
            return
        row = self.tree.indexOfTopLevelItem(chosen)
        # Closed first: opening can ask further questions.
        self.accept()
        self._open_item(self._items[row].path)
