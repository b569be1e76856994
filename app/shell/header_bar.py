"""Header: the switch of the pages, and the choice of a run, its progress or its card."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QWidget,
)

from app.language.translation import tr
from app.shell.actions import Actions
from app.shell.device_chooser import DeviceChooser
from app.shell.header_parts import PinButton, Segments, action_button
from app.shell.judge.judge_card import JudgeCard
from app.shell.live_mode import LiveMode
from app.shell.page.page_switch import PageSwitch
from app.shell.page.pages import Pages
from app.shell.running_page import RunningPage
from app.state.models.protocols.text import label_text, protocol_notes
from app.state.models.quality import caption_of
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import PageStack, label
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from engine.core.visible_text import visible_line
from engine.modalities import AnyModality, Protocol, version_text

HEIGHT_PX = 52
PROTOCOL_PX, MIN_PROTOCOL_PX = 190, 110
SPACING_PX = 8
CAPTION_FROM_PX = 700
"""Minimum width of the page for a caption of the protocols."""


class HeaderBar(QWidget):
    """The switch of the pages, and the part of the header that belongs to the page.

    Prepare shows the choice of a run, Judge its card. During a run both show its progress. The page
    of a live scan has neither: the card of an earlier run must not appear above its images.
    """

    def __init__(self, context: AppContext, actions: Actions, pages: Pages) -> None:
        super().__init__()
        self.setObjectName("Header")
        # A plain QWidget ignores the background of the style sheet otherwise.
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT_PX)
        self._run, self._pages = context.session.run, pages
        self.switch = PageSwitch(pages)
        self.choice = ChoicePage(context, actions)
        self.running = RunningPage(context, actions)
        self.judging = JudgeCard(context, actions, pages)
        self._parts = PageStack()
        self.live = label(tr("Live scan"), "entry")
        self._is_live: Callable[[], bool] = lambda: False
        for part in (self.choice, self.running, self.judging, self.live):
            self._parts.addWidget(part)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 10, 6)
        row.setSpacing(4)
        row.addWidget(self.switch)
        row.addSpacing(4)
        row.addSpacing(8)
        row.addWidget(self._parts, 1)
        row.addSpacing(8)
        self.device = DeviceChooser(context, actions.tune)
        row.addWidget(self.device)
        self.may_choose_device = True
        for signal in (self._run.state_changed, pages.changed):
            signal.connect(self._show)
        self._show()

    def follow_live(self, live: LiveMode) -> None:
        """Show neither choice nor card while the page of a live scan is open.

        Parameters
        ----------
        live
            page of a live scan
        """
        self._is_live = lambda: live.is_shown
        live.changed.connect(self._show)
        self._show()

    def allow_device(self, on: bool) -> None:
        """Offer the choice of the device, or not.

        Parameters
        ----------
        on
            False in technician mode
        """
        self.may_choose_device = on
        self._show()

    def _show(self) -> None:
        active, judges = self._run.state.is_active, self._pages.current == "judge"
        is_live = self._is_live()
        chosen = self.live if is_live else self.judging if judges else self.choice
        self.switch.setVisible(not is_live)
        self._parts.setCurrentWidget(self.running if active else chosen)
        self.device.setVisible(not judges and self.may_choose_device)


class ChoicePage(QWidget):
    """Protocol, quality and Start.

    Signals
    -------
    offers_changed : other protocols are offered

    Attributes
    ----------
    manage, pin : buttons for the protocols, which the card of the protocol shows
    """

    offers_changed = Signal()

    def __init__(self, context: AppContext, actions: Actions) -> None:
        super().__init__()
        self._preferences = context.preferences
        self._study = context.session.study
        self._listed: tuple[AnyModality, ...] = ()
        self._offered: list[Protocol] = []
        self._only_approved = False
        self.protocols = QuietCombo()
        self.protocols.setMinimumWidth(MIN_PROTOCOL_PX)
        self.protocols.setMaximumWidth(PROTOCOL_PX)
        self.protocols.setAccessibleName(tr("Protocol"))
        self.protocols.setToolTip(
            tr("Saved settings for the grid, corrections, algorithm and filters")
        )
        # `activated` comes only from the user, not when the list is filled.
        self.protocols.activated.connect(self._chosen)
        self.qualities = Segments(context)
        self.start = QPushButton(actions.start.text())
        self.start.setProperty("role", "primary")
        self.start.clicked.connect(actions.start.trigger)
        set_icon(self.start, "start", context.theme, "on_accent")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING_PX)
        self._caption = label(tr("Protocol"), "caption")
        row.addWidget(self._caption)
        row.addWidget(self.protocols, 4)
        # The card of the protocol shows these two.
        self.manage = action_button(actions.protocols, text=True)
        self.pin = PinButton(context)
        row.addSpacing(4)
        row.addWidget(self.qualities)
        self.meaning = ElidedLabel()
        self.meaning.setProperty("role", "muted")
        row.addWidget(self.meaning, 1)
        row.addWidget(self.start)
        self._start_action = actions.start
        # A QPushButton does not follow an action by itself.
        actions.start.changed.connect(self._show_start)
        self._study.protocol_changed.connect(self._show)
        self._study.inputs_changed.connect(self._show)
        context.commands.protocols_changed.connect(self._refill)
        self._show()
        self._show_start()

    def minimumSizeHint(self) -> QSize:
        # Without the caption, which the page hides by itself when space is short.
        spared = self._caption.sizeHint().width() + SPACING_PX
        least = super().minimumSizeHint()
        return least if self._caption.isHidden() else least - QSize(spared, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the caption if the page is narrow; the tooltip of the box has the same text.

        Parameters
        ----------
        event
            event of Qt
        """
        self._caption.setVisible(self.width() >= CAPTION_FROM_PX)

    def _show_start(self) -> None:
        self.start.setEnabled(self._start_action.isEnabled())
        self.start.setToolTip(self._start_action.toolTip())

    def _show(self) -> None:
        base = self._study.base
        if base.name not in (each.name for each in self._offered) or (
            self._suitable_modalities() != self._listed
        ):
            self._fill()
        self._show_in_use()
        self.meaning.set_full_text(caption_of(self._study.quality, base))

    def _show_in_use(self) -> None:
        """Select the current protocol; a mark shows that it differs from the saved one."""
        chosen = -1
        for i in range(self.protocols.count()):
            place = self.protocols.itemData(i)
            if place is None:  # a separator between kinds of protocols
                continue
            each = self._offered[place]
            is_in_use = each.name == self._study.base.name and each.modality == (
                self._study.base.modality
            )
            self.protocols.setItemText(
                i, visible_line(label_text(self._study) if is_in_use else each.name)
            )
            chosen = i if is_in_use else chosen
        self.protocols.setCurrentIndex(chosen)
        text = tr("Saved settings for the grid, corrections, algorithm and filters")
        changed = protocol_notes(self._study)
        self.protocols.setToolTip(literal_tip("\n".join((text, *changed))))

    def offer_approved(self, only: bool) -> None:
        """Offer only protocols that the site has approved, or all.

        Parameters
        ----------
        only
            True in technician mode
        """
        self._only_approved = only
        self._refill()

    def _refill(self) -> None:
        self._fill()
        self._show_in_use()
        self.offers_changed.emit()

    def _suitable_modalities(self) -> tuple[AnyModality, ...]:
        """Return the modalities with protocols that suit the open scan."""
        return self._study.suitable or (self._study.modality,)

    def _fill(self) -> None:
        self.protocols.clear()
        self._offered.clear()
        self._listed = self._suitable_modalities()
        for modality in self._listed:
            library = self._preferences.library
            offered = library.approved if self._only_approved else library.listed
            protocols = [listed.protocol for listed in offered(modality)]
            base, is_in_use = self._study.base, modality is self._study.modality
            is_missing = all(each.name != base.name for each in protocols)
            # The current protocol may come from a study file and not be in the library.
            if is_in_use and is_missing and not self._only_approved:
                protocols.append(base)
            if self.protocols.count():
                self.protocols.insertSeparator(self.protocols.count())
            for each in protocols:
                self.protocols.addItem(visible_line(each.name), len(self._offered))
                self._offered.append(each)
                # With several modalities the method distinguishes protocols of one name.
                tip = (
                    modality.approach if len(self._listed) > 1 else visible_line(version_text(each))
                )
                self.protocols.setItemData(
                    self.protocols.count() - 1, literal_tip(tip), Qt.ItemDataRole.ToolTipRole
                )

    @property
    def offered(self) -> list[Protocol]:
        """The listed protocols, in order."""
        return list(self._offered)

    def _chosen(self) -> None:
        self._study.use_protocol(self._offered[self.protocols.currentData()])
