"""What is asked before a scan is followed: its source, its geometry, which views."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.forms.fields import QuietCombo
from app.live.live_request import MODES, LiveRequest
from app.look.file_dialogs import ask_open
from app.look.widgets import button, label, set_tone
from app.views.plain_text import plain_tip

CARD_PX = 660
SOURCE_TIP = (
    "tcp://host:port of a sender, pva://channel of EPICS, a folder that fills with images, or an "
    "HDF5 file that is being written"
)
GEOMETRY_TIP = "A stored scan of the same geometry, where the source brings none"
PLAY_TIP = "A stored scan is played as if it were measured now, at so many frames in a second"

Choosers = list[tuple[str, Callable[[], object], str]]
"""Buttons beside a field: their words, what they do, and their tips."""


class ConnectCard(QFrame):
    """Asks; `connect_to` is called with the answer."""

    def __init__(
        self,
        connect_to: Callable[[LiveRequest], object],
        demo: Callable[[], object],
        leave: Callable[[], object],
    ) -> None:
        super().__init__()
        self._connect_to = connect_to
        self.setProperty("role", "card")
        self.setMaximumWidth(CARD_PX)
        self.source, self.like, self.rate = QLineEdit(), QLineEdit(), QLineEdit()
        self.source.setPlaceholderText("tcp://detector:9667, pva://CHANNEL, a folder or a file")
        self.like.setPlaceholderText("As the source says")
        self.rate.setPlaceholderText("Is being measured")
        for edit, name, tip in (
            (self.source, "Source", SOURCE_TIP),
            (self.like, "Geometry", GEOMETRY_TIP),
            (self.rate, "Play at", PLAY_TIP),
        ):
            edit.setAccessibleName(name)
            edit.setToolTip(plain_tip(tip))
        self.source.returnPressed.connect(self.ask)
        self.mode = QuietCombo()
        self.mode.setAccessibleName("Views in the slices")
        for words, *_ in MODES:
            self.mode.addItem(words)
        self._fault = label("", wrap=True)
        set_tone(self._fault, "missing")
        self.begin = button("Connect", self.ask, "Follow this source", "primary")
        self.demo = button("Live demo", demo, "Play a simulated scan, and watch it come into focus")
        self.leave = button("Back", leave, "Back to the images")
        self._lay_out()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        places: Choosers = [
            ("Folder …", self._browse_folder, "A folder that fills with images"),
            ("File …", self._browse_file, "A file that is being written, or a stored scan"),
        ]
        rows: list[tuple[str, QWidget, Choosers]] = [
            ("Source", self.source, places),
            ("Geometry", self.like, [("Scan …", self._browse_geometry, GEOMETRY_TIP)]),
            ("Views", self.mode, []),
            ("Play at", self.rate, []),
        ]
        for k, (caption, field, choosers) in enumerate(rows):
            grid.addWidget(label(caption, "caption"), k, 0)
            grid.addWidget(field, k, 1)
            if choosers:
                row = QHBoxLayout()
                row.setSpacing(6)
                for words, choose, tip in choosers:
                    row.addWidget(button(words, choose, tip))
                grid.addLayout(row, k, 2)
        grid.addWidget(label("frames/s, a stored scan", "muted"), 3, 2)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.demo)
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.begin)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 24, 28, 24)
        column.setSpacing(14)
        column.addWidget(label("Follow a running scan", "title"))
        column.addWidget(
            label(
                "Slices form while an X-ray scan is measured. Steps and filter are those of the CT "
                "protocol at hand.",
                "muted",
                wrap=True,
            )
        )
        column.addLayout(grid)
        column.addWidget(self._fault)
        column.addLayout(buttons)
        self.say("")

    @property
    def fault(self) -> str:
        """What is said to be wrong."""
        return self._fault.text()

    def say(self, fault: str) -> None:
        """Say why it could not be connected; nothing if empty."""
        self._fault.setText(fault)
        self._fault.setVisible(bool(fault))

    def show_request(self, request: LiveRequest) -> None:
        """Fill in what was asked for before."""
        self.source.setText(request.source)
        self.like.setText(str(request.geometry or ""))
        self.rate.setText(f"{request.rate:g}" if request.rate else "")
        modes = [(mode, turn) for _, mode, turn in MODES]
        asked = (request.mode, request.turn)
        self.mode.setCurrentIndex(modes.index(asked) if asked in modes else 0)

    def ask(self) -> None:
        """Connect to what is filled in, or say what is wrong with it."""
        source, geometry = self.source.text().strip(), self.like.text().strip()
        rate = _rate(self.rate.text())
        if not source:
            self.say("Name the source: an address, a folder or a file.")
        elif rate is None:
            self.say(f"Play at {self.rate.text()!r}: write frames in a second, such as 30.")
        else:
            self.say("")
            _, mode, turn = MODES[self.mode.currentIndex()]
            scan = Path(geometry) if geometry else None
            self._connect_to(LiveRequest(source, scan, mode, turn, bool(rate), rate or None))

    def _browse_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, "Folder that fills with images")
        if chosen:
            self.source.setText(chosen)

    def _browse_file(self) -> None:
        chosen = ask_open(self, "A file that is being written, or a stored scan", "", "Scans (*)")
        if chosen is not None:
            self.source.setText(str(chosen))

    def _browse_geometry(self) -> None:
        chosen = ask_open(self, "A scan of the same geometry", "", "Scans (*)")
        if chosen is not None:
            self.like.setText(str(chosen))


def _rate(text: str) -> float | None:
    """Frames in a second; 0 if nothing is written, None if it is no rate."""
    try:
        rate = float(text.replace(",", ".")) if text.strip() else 0.0
    except ValueError:
        return None
    return rate if 0 <= rate <= 1e6 and (rate > 0 or not text.strip()) else None
