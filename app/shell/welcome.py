"""The welcome card of the page before there is an image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import named, tr
from app.live.connect_card import EVENTS, FRAMES
from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import button, label, remove_widgets, scrolled
from app.views.literal_text import LiteralLabel
from app.views.slices.labels import ElidedLabel
from engine.core.visible_text import visible_line
from engine.modalities import DEMOS, Demo

CARD_PX, WITH_OFFERS_PX = 520, 640
DEMOS_ACROSS = 2
LIVE_DEMOS = {
    FRAMES: (tr("Live CT demo"), tr("Play a simulated CT scan and watch its slices sharpen")),
    EVENTS: (tr("Live PET demo"), tr("Play a simulated PET scan and watch its image form")),
}
"""Name and tooltip of the demos of live scans, by kind."""


@dataclass(frozen=True)
class Offer:
    """One line of the welcome card: text, detail, icon and action, perhaps with another one.

    The facts are only in the tooltip.
    """

    text: str
    detail: str
    icon: str
    action: Callable[[], object]
    discard: Callable[[], object] | None = None
    discard_tip: str = ""
    facts: str = ""


def page(card: QWidget) -> QWidget:
    """Return a page with a card in its centre; it scrolls if the card has many offers."""
    made = QWidget()
    made.setObjectName("Canvas")
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    column = QVBoxLayout(made)
    column.addStretch(2)
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(card, 1000)  # the card grows to its maximum width before the sides do
    row.addStretch(1)
    column.addLayout(row)
    column.addStretch(3)
    return scrolled(made)


class WelcomeTile(QFrame):
    """A framed column."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setMinimumWidth(CARD_PX * 2 // 3)
        self.setMaximumWidth(CARD_PX)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(28, 24, 28, 24)
        self.column.setSpacing(8)


class WelcomeCard(WelcomeTile):
    """Card with a scan, demos, recent studies and interrupted jobs to open."""

    def __init__(
        self,
        theme: Theme,
        *,
        open_scan: Callable[[], object],
        demo: Callable[[str], object],
        cancel: Callable[[], object],
        live: Callable[[], object],
        live_demo: Callable[[int], object],
    ) -> None:
        super().__init__()
        self._theme = theme
        self.open = button(
            tr("Open a scan …"), open_scan, tr("Choose a PET or X-ray scan (Ctrl+O)"), "primary"
        )
        set_icon(self.open, "open", theme, "on_accent")
        self.open.setMinimumHeight(36)
        self.live = button(
            tr("Watch a running scan …"),
            live,
            tr("Watch the image form during acquisition (Ctrl+Shift+L)"),
        )
        set_icon(self.live, "live", theme)
        self.live_demos = [
            button(name, partial(live_demo, kind), tip) for kind, (name, tip) in LIVE_DEMOS.items()
        ]
        self.demos = [demo_button(each, demo, theme) for each in DEMOS.values()]
        self._busy, self._bar = label("", "muted", wrap=True), QProgressBar()
        self._bar.setTextVisible(False)
        self.cancel = button(tr("Cancel"), cancel, tr("Stop the simulation without opening a scan"))
        self._lists = QVBoxLayout()
        self._lists.setSpacing(2)
        self._lay_out()
        self.show_busy("")

    def _lay_out(self) -> None:
        demos = QGridLayout()
        demos.setSpacing(8)
        for n, each in enumerate(self.demos):
            demos.addWidget(each, n // DEMOS_ACROSS, n % DEMOS_ACROSS)
        self.column.addWidget(label("Isocenter", "title"))
        self.column.addWidget(
            label(tr("Reconstruct a PET or X-ray CT scan and watch the image form."), "muted")
        )
        self.column.addSpacing(10)
        self.column.addWidget(self.open)
        self.column.addWidget(label(tr("… or drop a file anywhere in this window."), "muted"))
        running = QHBoxLayout()
        running.setSpacing(8)
        running.addWidget(self.live, 2)
        for each in self.live_demos:
            running.addWidget(each, 1)
        self.column.addLayout(running)
        self.column.addSpacing(10)
        simulated = label(tr("Try a demo, simulated on this computer"), "caption")
        self.extras = (self.live, *self.live_demos, simulated, *self.demos)
        self.column.addWidget(simulated)
        self.column.addLayout(demos)
        self.column.addWidget(self._busy)
        self.column.addWidget(self._bar)
        self.column.addWidget(self.cancel)
        self.column.addLayout(self._lists)

    def show_busy(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show the preparation of a demo; the buttons are disabled.

        Parameters
        ----------
        text
            name of the activity; empty: none
        done, total
            work done and total work; 0 shows a busy indicator
        """
        self._busy.setText(text)
        self._busy.setVisible(bool(text))
        self._bar.setVisible(bool(text))
        self.cancel.setVisible(bool(text))
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        for each in (self.open, self.live, *self.live_demos, *self.demos):
            each.setEnabled(not text)

    def show_offers(self, groups: dict[str, Sequence[Offer]]) -> None:
        """List recent studies and interrupted jobs.

        Parameters
        ----------
        groups
            offers by heading; empty groups are left out
        """
        remove_widgets(self._lists)
        # Title, detail and buttons of an offer share a row.
        self.setMaximumWidth(WITH_OFFERS_PX if any(groups.values()) else CARD_PX)
        before: QWidget = self.demos[-1]
        for title, welcome_lists in groups.items():
            if welcome_lists:
                head = label(title, "caption")
                head.setContentsMargins(0, 12, 0, 2)
                self._lists.addWidget(head)
            for offer in welcome_lists:
                row = _OfferRow(offer, self._theme)
                self._lists.addWidget(row)
                for made in row.buttons:
                    # Widgets created later would come last in the tab order.
                    self.setTabOrder(before, made)
                    before = made


def demo_button(demo: Demo, start: Callable[[str], object], theme: Theme) -> QPushButton:
    """Return a button that makes and runs a demo."""
    made = button(named(demo.title), partial(start, demo.key), named(demo.tip))
    set_icon(made, demo.icon, theme)
    made.setMinimumHeight(36)
    return made


class _OfferRow(QWidget):
    """The buttons of an offer."""

    def __init__(self, offer: Offer, theme: Theme) -> None:
        super().__init__()
        self.buttons = [offer_button(offer, theme)]
        if offer.discard is not None:
            self.buttons.append(button(tr("Discard"), offer.discard, offer.discard_tip, "quiet"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for stretch, each in zip((1, 0), self.buttons, strict=False):
            row.addWidget(each, stretch)


def offer_button(offer: Offer, theme: Theme) -> QPushButton:
    """Return a flat button with the text of an offer, and its detail in a muted colour."""
    words = visible_line(", ".join(filter(None, (offer.text, offer.detail, offer.facts))))
    made = button("", offer.action, words, "quiet")
    made.setAccessibleName(words)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    made.setMinimumHeight(30)
    icon, name = LiteralLabel(), ElidedLabel(offer.text, Qt.TextElideMode.ElideMiddle)
    name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    set_icon(icon, offer.icon, theme, "muted")
    detail = ElidedLabel(offer.detail, Qt.TextElideMode.ElideMiddle)
    detail.setProperty("role", "muted")
    row = QHBoxLayout(made)
    row.setContentsMargins(8, 2, 8, 2)
    row.setSpacing(8)
    row.addWidget(icon)
    row.addWidget(name)
    row.addWidget(detail, 1)
    for child in (icon, name, detail):
        # The labels inside would otherwise take the clicks of the button.
        child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return made


def recent_offers(paths: Sequence[Path], open_path: Callable[[Path], object]) -> list[Offer]:
    """Return an offer for each recent study.

    Parameters
    ----------
    paths
        recent files, the newest first; four are offered
    open_path
        called with the file
    """
    return [
        Offer(path.name, str(path.parent), "recent", partial(open_path, path)) for path in paths[:4]
    ]
