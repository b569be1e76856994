"""The progress card of a demo simulation, with a stop button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout

from app.language.translation import tr
from app.ui.theme.widgets import button, label

CARD_PX = 480


class MakingCard(QFrame):
    """Progress of a simulation. `stop` cancels it."""

    def __init__(self, stop: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setMaximumWidth(CARD_PX)
        self.words = label("", "muted", wrap=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the simulation"))
        self.stop = button(tr("Stop"), stop, tr("Stop the simulation"))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 24, 28, 24)
        column.setSpacing(14)
        column.addWidget(label(tr("Live demo"), "title"))
        column.addWidget(self.words)
        column.addWidget(self.bar)
        column.addLayout(row)

    def begin(self, words: str) -> None:
        """Show the name of a simulation before its progress is known.

        Parameters
        ----------
        words
            name of the simulation
        """
        self.words.setText(words)
        # Qt shows a busy indicator for an empty range.
        self.bar.setRange(0, 0)

    def show_progress(self, done: int, total: int) -> None:
        """Show the progress.

        Parameters
        ----------
        done, total
            work done and total work, in any unit
        """
        self.bar.setRange(0, max(total, 1))
        self.bar.setValue(done)
