"""The list of studies in the queue; the user can drag them to another place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem

from app.language.translation import tr
from app.state.models.queue_model import QueueModel
from app.ui.theme.theme import Theme
from app.views.literal_text import literal_tip
from app.workspace.queue.queue_delegate import ENTRY, QueueDelegate
from app.workspace.queue.queue_text import describe_state, tip_of, title_of


class QueueList(QListWidget):
    """Lists the studies in their order."""

    def __init__(self, theme: Theme, model: QueueModel) -> None:
        super().__init__()
        self._model = model
        self.setAccessibleName(tr("Studies in the queue"))
        self.setItemDelegate(QueueDelegate(theme, model, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)

    def show_entries(self, chosen: str) -> None:
        """Show the studies of the model.

        Parameters
        ----------
        chosen
            ID of the selected study; "" for none
        """
        ids = [self.item(i).data(ENTRY) for i in range(self.count())]
        # Items are only replaced if the order has changed, or a drag would be interrupted.
        if ids != [entry.id for entry in self._model.entries]:
            self._fill(chosen)
        for i, entry in enumerate(self._model.entries):
            item, words = self.item(i), self._model.words(entry.id)
            # Read aloud by screen readers.
            item.setText(f"{title_of(entry, *words)}, {describe_state(entry)}")
            item.setToolTip(literal_tip(tip_of(entry, words[0])))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The question of the selected study appears below and takes space.
        item = self.currentItem()
        if item is not None:
            self.scrollToItem(item)

    def _fill(self, chosen: str) -> None:
        # Clearing would otherwise report that nothing is selected.
        self.blockSignals(True)
        self.clear()
        for entry in self._model.entries:
            item = QListWidgetItem()
            item.setData(ENTRY, entry.id)
            self.addItem(item)
            if entry.id == chosen:
                self.setCurrentItem(item)
        self.blockSignals(False)
