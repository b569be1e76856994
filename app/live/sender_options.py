"""Fields of the source form for who may send: other computers, keys, one sender."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from app.language.translation import tr
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip

NETWORK = tr("Accept senders on other computers")
NETWORK_TIP = tr(
    "If this box is not checked, tcp://*:PORT accepts only senders on this computer. If it is "
    "checked, the program listens on all networks. Check it again for each scan."
)
KEYS_TIP = tr(
    "Public keys of the senders, or a file that contains them. Only these senders are accepted, "
    "and the connection is encrypted."
)
SENDER_TIP = tr(
    "Token, key or address of the only sender to accept. If this is empty, the first sender is "
    "accepted."
)
MORE_TIP = tr("Set the sender keys, or accept only one sender")
KEY_LENGTH = 40
CHOOSE_KEYS = tr("Choose a file with public keys")


class SenderOptions(QWidget):
    """Check box for the network, and more options that are folded at first.

    Parameters
    ----------
    choose_file : asks for a file with a title, and enters it into a field

    Attributes
    ----------
    network, keys, only_sender : fields
    more : button that unfolds the keys and the sender
    """

    def __init__(self, choose_file: Callable[[QLineEdit, str], object]) -> None:
        super().__init__()
        self.network = QCheckBox(NETWORK)
        self.network.setToolTip(literal_tip(NETWORK_TIP))
        self.keys, self.only_sender = QLineEdit(), QLineEdit()
        self.own_key = label("", "muted", wrap=True)
        self.more = button(tr("More"), self._unfold, MORE_TIP)
        self.more.setCheckable(True)
        file = button(tr("File …"), lambda: choose_file(self.keys, CHOOSE_KEYS), CHOOSE_KEYS)
        self._fold = QWidget()
        self._lay_out(file)
        self._fold.setVisible(False)

    def _lay_out(self, file: QPushButton) -> None:
        first = QHBoxLayout()
        first.addWidget(self.network, 1)
        first.addWidget(self.more)
        grid = QGridLayout(self._fold)
        grid.setContentsMargins(0, 0, 0, 0)
        captions = (tr("Sender keys"), tr("Sender"))
        edits, tips = (self.keys, self.only_sender), (KEYS_TIP, SENDER_TIP)
        for k, (caption, edit, tip) in enumerate(zip(captions, edits, tips, strict=True)):
            edit.setAccessibleName(caption)
            edit.setToolTip(literal_tip(tip))
            grid.addWidget(label(caption, "caption"), k, 0)
            grid.addWidget(edit, k, 1)
        grid.addWidget(file, 0, 2)
        grid.addWidget(self.own_key, 2, 0, 1, 3)
        whole = QGridLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(first, 0, 0)
        whole.addWidget(self._fold, 1, 0)

    @property
    def sender_keys(self) -> tuple[str, ...]:
        """Entered keys, or the file of keys."""
        text = self.keys.text().strip()
        parts = text.replace(",", " ").split()
        # A path can contain blanks; keys cannot.
        are_keys = all(len(each) == KEY_LENGTH for each in parts)
        return tuple(parts) if are_keys else (text,)

    def show_request(self) -> None:
        """Prepare the form for another scan, which needs its own decision about the network."""
        self.network.setChecked(False)

    def _unfold(self) -> None:
        is_open = self.more.isChecked()
        self._fold.setVisible(is_open)
        if is_open and not self.own_key.text():
            self.own_key.setText(_own_key_text())


def _own_key_text() -> str:
    from engine.core.errors import EngineError
    from engine.live import stream_key

    try:
        return tr("Key of this computer: {key}", key=stream_key().public)
    except EngineError as e:
        return str(e)
