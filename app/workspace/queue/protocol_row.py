"""Choice of the protocol of queued studies that have not begun."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import label
from engine.core.visible_text import visible_line
from engine.jobs import QueueEntry
from engine.modalities import Protocol


class ProtocolRow(QWidget):
    """The protocol of the selected study; a choice also counts for others of its scanner.

    Signals
    -------
    chosen : entries, and the protocol that the user chose for them
    """

    chosen = Signal(object, object)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._commands = context.queue
        self._entry: QueueEntry | None = None
        self._offered: list[Protocol] = []
        self.box = QuietCombo()
        self.box.setAccessibleName(tr("Protocol of the study"))
        self.box.activated.connect(self._emit_choice)
        self.others = QCheckBox()
        # Scans that are added together usually need the same protocol.
        self.others.setChecked(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label(tr("Protocol"), "caption"))
        row.addWidget(self.box, 1)
        row.addWidget(self.others)
        self.hide()

    def show_study(self, entry: QueueEntry | None) -> None:
        """Offer the protocols for a study; hide the row if it has begun.

        Parameters
        ----------
        entry
            entry of the queue; None for none
        """
        offered = self._commands.protocols_for(entry) if entry is not None else []
        self._entry = entry
        self.setVisible(bool(offered))
        if entry is None or not offered:
            return
        if offered != self._offered:
            self._offered = offered
            self.box.clear()
            for each in offered:
                self.box.addItem(visible_line(each.name))
        now = entry.to_study().protocol.name
        names = [each.name for each in offered]
        # A protocol of a study file need not be among the saved ones.
        self.box.setPlaceholderText(visible_line(now))
        self.box.setCurrentIndex(names.index(now) if now in names else -1)
        n = len(self._commands.alike(entry))
        self.others.setVisible(bool(n))
        self.others.setText(tr("Also for {n} more of this scanner", n=n))

    def _emit_choice(self, place: int) -> None:
        entry = self._entry
        if entry is None:
            return
        takes_others = self.others.isVisible() and self.others.isChecked()
        others = self._commands.alike(entry) if takes_others else []
        self.chosen.emit((entry, *others), self._offered[place])
