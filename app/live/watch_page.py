"""The common parts of the pages of a running scan: state, figures, buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.language.translation import tr
from app.live.live_model import LiveModel
from app.live.pet_model import LivePetModel
from app.live.refused_senders import RefusedSenders
from app.ui.theme.widgets import button, label, scrolled, set_tone

M = TypeVar("M", LiveModel, LivePetModel)
SIDE_PX = 300
LISTENS = tr("The program listens on all networks and accepts senders on other computers.")
STORED_NOTE = tr("kept for comparison")
FROZEN_NOTE = tr("frozen")
KEEP_TIP = tr("Stop and save the received scan to a file")
WHOLE_TIP = tr("Stop, save the scan in the export folder, and reconstruct it")


@dataclass(frozen=True)
class WatchActions:
    """Actions of a page.

    Attributes
    ----------
    leave : shows the images again
    keep_scan, reconstruct : save the scan; save and reconstruct it
    another : closes the scan
    keep_images : saves the displayed images
    """

    leave: Callable[[], object]
    keep_scan: Callable[[], object]
    reconstruct: Callable[[], object]
    another: Callable[[], object]
    keep_images: Callable[[], object]


class WatchPage(QWidget, Generic[M]):
    """Images next to a column of controls. `freeze`, `keep` and `compare` show older images."""

    def __init__(
        self,
        model: M,
        actions: WatchActions,
        keep_images: tuple[str, str],
        reconstruct: str,
    ) -> None:
        super().__init__()
        self.model: M = model
        self.network = label(LISTENS, wrap=True)
        set_tone(self.network, "warning")
        self.refused = RefusedSenders(model.use_sender)
        self.state, self.message = label("", "heading", wrap=True), label("", "muted", wrap=True)
        self.freeze = switch(
            tr("Freeze"), self.show_newest, tr("Freeze the display. The scan continues.")
        )
        self.keep = button(
            tr("Keep for comparison"), self._store_current, tr("Keep this image for comparison")
        )
        self.compare = switch(
            tr("Show kept image"),
            self.show_newest,
            tr("Show the kept image instead of the newest one"),
        )
        self.snapshot = button(keep_images[0], actions.keep_images, keep_images[1])
        self.save = button(tr("Save scan …"), actions.keep_scan, KEEP_TIP)
        self.reconstruct = button(reconstruct, actions.reconstruct, WHOLE_TIP, "primary")
        self.stop = button(
            tr("Stop"),
            model.stop,
            tr("Stop following the scan. The received data stay on the screen."),
        )
        self.back = button(
            tr("Back"),
            actions.leave,
            tr("Back to the images. The program continues to follow the scan."),
        )
        self.another = button(tr("Another scan"), actions.another, tr("Connect to another source"))
        self.stored: object | None = None
        self.current: object | None = None
        # Updates are not queued: the page shows the newest state when it is painted.
        model.updated.connect(self.show_newest)

    def lay_out(
        self,
        views: QWidget,
        column: Sequence[QWidget],
        *more: QWidget,
        extra_button: QWidget | None = None,
    ) -> None:
        """Place the images next to a column of controls.

        Parameters
        ----------
        views
            images
        column
            widgets of the column above the buttons
        *more
            widgets above the button that reconstructs
        extra_button
            button next to "Save scan"; None: no button
        """
        side = QWidget()
        down = QVBoxLayout(side)
        down.setContentsMargins(14, 12, 14, 12)
        down.setSpacing(10)
        for widget in (self.state, self.network, self.message, self.refused, *column):
            down.addWidget(widget)
        for pair in (
            (self.freeze, self.keep),
            (self.compare, self.snapshot),
            (self.save, extra_button),
        ):
            down.addLayout(_row_of(pair))
        for widget in (*more, self.reconstruct):
            down.addWidget(widget)
        down.addStretch(1)
        down.addLayout(_row_of((self.stop, self.another, self.back)))
        area = scrolled(side)
        # Figures change their width at each update; the images must not move.
        area.setFixedWidth(SIDE_PX)
        across = QHBoxLayout(self)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        across.addWidget(views, 1)
        across.addWidget(area)

    def begin(self) -> None:
        """Show another scan from its beginning."""
        self.stored = self.current = None
        for each in (self.freeze, self.compare):
            each.setChecked(False)

    def follow(self) -> None:
        """Show another state."""
        model = self.model
        text, tone = model.state
        self.state.setText(text)
        set_tone(self.state, tone)
        is_open = model.request is not None and model.request.network
        self.network.setVisible(is_open and (model.is_running or model.status.is_connecting))
        newest = model.status.waiting or (
            model.status.messages[-1] if model.status.messages else ""
        )
        # The state may already contain the message.
        self.message.setText("" if newest in text else newest)
        self.message.setVisible(bool(self.message.text()))
        self.refused.show_senders(model.refused_senders, can_use=model.is_running)
        self.stop.setEnabled(model.is_running or model.status.is_connecting)
        self.allow()

    def allow(self) -> None:
        """Enable the buttons that can be used now."""
        for widget in (self.freeze, self.keep, self.snapshot):
            widget.setEnabled(self.current is not None)
        self.compare.setEnabled(self.stored is not None)
        for widget in (self.save, self.reconstruct):
            widget.setEnabled(self.model.has_scan)

    def show_newest(self) -> None:
        """Show the newest images, unless older ones are selected."""

    def show_update(self, newest: object | None) -> None:
        """Store the newest images, unless the display is frozen.

        Parameters
        ----------
        newest
            images of an update; None: none yet
        """
        if not self.freeze.isChecked():
            self.current = newest

    @property
    def shows_stored(self) -> bool:
        """True if stored images are displayed instead of the newest."""
        return self.compare.isChecked() and self.stored is not None

    @property
    def note(self) -> str:
        """A note if the displayed image is not the newest."""
        if self.shows_stored:
            return STORED_NOTE
        return FROZEN_NOTE if self.freeze.isChecked() else ""

    def _store_current(self) -> None:
        self.stored = self.current
        self.allow()

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.show_newest()


def switch(text: str, changed: Callable[[], object], tip: str) -> QPushButton:
    """Return a button that stays pressed until it is pressed again.

    Parameters
    ----------
    text, tip
        label and tooltip
    changed
        called after each change
    """
    made = button(text, changed, tip)
    made.setCheckable(True)
    return made


def _row_of(widgets: Sequence[QWidget | None]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for each in widgets:
        if each is not None:
            row.addWidget(each, 1)
    return row
