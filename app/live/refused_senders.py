"""The list of refused senders of a running scan. The user can choose one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.language.translation import tr
from app.ui.theme.widgets import button, label, remove_widgets, set_tone

if TYPE_CHECKING:
    from engine.live import RefusedSender

MAX_SHOWN = 5
USE = tr("Use this sender")
USE_TIP = tr(
    "End the current recording and accept only this sender from now on. The recording stays on "
    "disk, and the data from this sender become a separate scan."
)


class RefusedSenders(QWidget):
    """Refused senders with their numbers of messages; hidden without any.

    Parameters
    ----------
    use : called with the identity of the sender that the user chooses

    Attributes
    ----------
    buttons : one button for each sender on show
    """

    def __init__(self, use: Callable[[str], object]) -> None:
        super().__init__()
        self._use = use
        self._shown: tuple[RefusedSender, ...] = ()
        self.buttons: list[QPushButton] = []
        self._texts: list[str] = []
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(4)
        self.setVisible(False)

    @property
    def texts(self) -> list[str]:
        """The displayed texts."""
        return self._texts

    def show_senders(self, senders: tuple[RefusedSender, ...], *, can_use: bool) -> None:
        """Show the senders with the most messages.

        Parameters
        ----------
        senders
            refused senders
        can_use
            True if the scan still runs, so that one can be chosen
        """
        most = sorted(senders, key=lambda each: -each.n_messages)[:MAX_SHOWN]
        if tuple(most) != self._shown:
            self._shown = tuple(most)
            self._build()
        for each in self.buttons:
            each.setEnabled(can_use)
        self.setVisible(bool(most))

    def _build(self) -> None:
        remove_widgets(self._rows)
        self.buttons, self._texts = [], []
        for each in self._shown:
            text = _sender_text(each)
            line = label(text, wrap=True)
            set_tone(line, "warning")
            made = button(USE, partial(self._use, each.identity), USE_TIP)
            self._texts.append(text)
            self.buttons.append(made)
            self._rows.addWidget(line)
            self._rows.addWidget(made)


def _sender_text(sender: RefusedSender) -> str:
    name = sender.name
    if sender.identity != name:
        name = f"{name} ({sender.identity[:24]})"
    if sender.n_messages == 1:
        return tr("Refused sender {name}: 1 message", name=name)
    return tr("Refused sender {name}: {n} messages", name=name, n=f"{sender.n_messages:,}")
