"""Header: open, export, protocol, quality and Start, or the progress of a run."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from app.language.translation import tr
from app.shell.actions import Actions
from app.shell.device_chooser import DeviceChooser
from app.shell.header_parts import PinButton, Segments, action_button, line, verb_button
from app.state.models.protocols.text import label_words, protocol_notes
from app.state.models.quality import caption_of
from app.state.models.run_record import RunState
from app.state.models.session import Session
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.formatting import clock
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import label
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from engine.core.visible_text import visible_line
from engine.modalities import AnyModality, Protocol, version_words

HEIGHT_PX = 52
PROTOCOL_PX, LEAST_PROTOCOL_PX = 190, 110
TEXT_PX = 90
LEAST_BAR_PX = 40
SPACING_PX = 8
CAPTION_FROM_PX = 700
"""Minimum width of the page for a caption of the protocols."""
BAR_STEPS = 1000


class HeaderBar(QWidget):
    """Open, export, and the choice of a run or its progress."""

    def __init__(self, context: AppContext, actions: Actions) -> None:
        super().__init__()
        self.setObjectName("Header")
        # A plain QWidget ignores the background of the style sheet otherwise.
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT_PX)
        self._run = context.session.run
        self.choice = ChoicePage(context, actions)
        self.running = RunningPage(context, actions)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.choice)
        self._pages.addWidget(self.running)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 10, 6)
        row.setSpacing(4)
        row.addWidget(action_button(actions.open, text=True))
        row.addWidget(action_button(actions.export, text=True))
        row.addSpacing(4)
        row.addWidget(line())
        row.addSpacing(8)
        row.addWidget(self._pages, 1)
        row.addSpacing(8)
        row.addWidget(line())
        row.addSpacing(4)
        self.device = DeviceChooser(context, actions.tune)
        row.addWidget(self.device)
        row.addWidget(action_button(actions.theme))
        row.addWidget(action_button(actions.help))
        self._run.state_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        active = self._run.state.is_active
        self._pages.setCurrentWidget(self.running if active else self.choice)


class ChoicePage(QWidget):
    """Protocol, quality and Start."""

    def __init__(self, context: AppContext, actions: Actions) -> None:
        super().__init__()
        self._preferences = context.preferences
        self._study = context.session.study
        self._listed: tuple[AnyModality, ...] = ()
        self._offered: list[Protocol] = []
        self._only_approved = False
        self.protocols = QuietCombo()
        self.protocols.setMinimumWidth(LEAST_PROTOCOL_PX)
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
        self.manage = action_button(actions.protocols)
        row.addWidget(self.manage)
        self.pin = PinButton(context)
        row.addWidget(self.pin)
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
        self.start.setToolTip(literal_tip(self._start_action.toolTip()))

    def _show(self) -> None:
        base = self._study.base
        if base.name not in (each.name for each in self._offered) or (
            self._suitable() != self._listed
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
                i, visible_line(label_words(self._study) if is_in_use else each.name)
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

    def _suitable(self) -> tuple[AnyModality, ...]:
        """Return the modalities with protocols that suit the open scan."""
        return self._study.suitable or (self._study.modality,)

    def _fill(self) -> None:
        self.protocols.clear()
        self._offered.clear()
        self._listed = self._suitable()
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
                    modality.approach
                    if len(self._listed) > 1
                    else visible_line(version_words(each))
                )
                self.protocols.setItemData(
                    self.protocols.count() - 1, literal_tip(tip), Qt.ItemDataRole.ToolTipRole
                )

    def _chosen(self) -> None:
        self._study.use_protocol(self._offered[self.protocols.currentData()])


class RunningPage(QWidget):
    """Activity and progress of a run, and the three ways to stop it."""

    def __init__(self, context: AppContext, actions: Actions) -> None:
        super().__init__()
        self._session = context.session
        self._run = context.session.run
        self.text = ElidedLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, BAR_STEPS)
        self.bar.setAccessibleName(tr("Progress"))
        self.left = label("", "muted")
        self.left.setMinimumWidth(78)
        self.left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        self.text.setMinimumWidth(TEXT_PX)
        self.bar.setMinimumWidth(LEAST_BAR_PX)
        row.addWidget(self.text, 3)
        row.addWidget(self.bar, 2)
        row.addWidget(self.left)
        for action in (actions.finish, actions.pause, actions.abort):
            row.addWidget(verb_button(action))
        self._run.progress_changed.connect(self._show)
        self._run.state_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        record, state = self._run.record, self._run.state
        self.text.set_full_text(progress_text(self._session))
        fraction = record.fraction
        # An empty range is Qt's busy indicator; a paused run must not look busy.
        self.bar.setRange(0, 0 if fraction is None and state is not RunState.PAUSED else BAR_STEPS)
        self.bar.setValue(round((fraction or 0) * BAR_STEPS))
        self.left.setText(time_text(self._session))


def time_text(session: Session) -> str:
    """Return the time left, or the reason why it is not known."""
    if session.run.state is RunState.PAUSED:
        return tr("paused")
    if session.run.state is RunState.FINISHING:
        return tr("finishing")
    seconds = session.run.record.seconds_left
    # An estimate from before a pause would be wrong.
    known = seconds is not None and session.run.state is RunState.RUNNING
    if not known or seconds is None:
        return ""
    latest = session.run.record.latest
    if latest is not None and latest.may_end_early:
        return tr("at most {clock} left", clock=clock(seconds))
    return tr("{clock} left", clock=clock(seconds))


def progress_text(session: Session) -> str:
    """Return the progress of the run as text.

    Parameters
    ----------
    session
        session of the window

    Returns
    -------
    str
        position in iterations, frames or slabs; otherwise the current activity
    """
    record = session.run.record
    latest = record.latest
    # Direct methods such as FDK have a single update, which tells nothing.
    if record.stage != "reconstruct" or latest is None or latest.iterations * latest.subsets == 1:
        return session.doing
    if latest.slices is not None:
        return tr(
            "Slab {subset} of {subsets}, finished slices: {slices:,}",
            subset=latest.subset,
            subsets=latest.subsets,
            slices=latest.slices,
        )
    at = {"n": latest.iteration, "of": latest.iterations}
    parts = {"k": latest.subset, "parts": latest.subsets}
    if latest.frame is not None:
        if latest.may_end_early:
            return tr("Frame {n} of {of}, update {k} of at most {parts}", **at, **parts)
        if latest.subsets > 1:
            return tr("Frame {n} of {of}, update {k} of {parts}", **at, **parts)
        return tr("Frame {n} of {of}", **at)
    if latest.may_end_early:
        return tr("Iteration {n} of at most {of}", **at)
    if latest.subsets > 1:
        return tr("Iteration {n} of {of}, subset {k} of {parts}", **at, **parts)
    return tr("Iteration {n} of {of}", **at)
