"""Technician mode: only open, protocol, Start, review, export and report.

It prevents accidents: no key or menu reaches the hidden controls. It is not a protection from
users who can edit the settings file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTabWidget, QWidget

from app.language.translation import tr
from app.state.models.passphrase import is_right
from app.state.services.context import AppContext
from app.ui.theme.questions import ask_text, show_reason
from app.workspace.ct_inspection.preview_panel import PreviewTab
from engine.core.visible_text import visible_line
from engine.modalities import AnyModality, Protocol, digest_of

ALLOWED = frozenset(
    (
        *("open", "studies", "export", "report", "send", "technician", "quit"),
        *("start", "pause", "finish", "abort"),
        *("theme", "full_views", "log", "guide", "help", "support_bundle", "about"),
    )
)
"""Names of the actions in technician mode."""
TABS_ALLOWED = (tr("Progress"), tr("Measure"), tr("Report"), tr("Results"))
NOT_APPROVED = tr(
    "The site has not approved the protocol {name!r}; choose another one in the header."
)


class TechnicianMode(QObject):
    """Hide parts of the window, and show them again with the passphrase.

    Parameters
    ----------
    window : parent of questions
    context : context with the preferences
    actions : all actions of the window, by name
    extras : other parts to hide
    lock : locks the forms of the cards, or unlocks them
    tabs : tabs of the right panel
    """

    changed = Signal(bool)

    def __init__(
        self,
        window: QWidget,
        context: AppContext,
        actions: dict[str, QAction],
        extras: Sequence[QWidget | QAction],
        lock: Callable[[bool], object],
        tabs: QTabWidget,
    ) -> None:
        super().__init__(window)
        self._window, self._context = window, context
        self._actions, self._extras = actions, tuple(extras)
        self._lock, self._tabs = lock, tabs
        self.is_on = False
        self._approved: dict[str, list[Protocol]] = {}
        # The session asks before every start.
        context.session.refusal = self.refusal
        context.commands.protocols_changed.connect(self._approved.clear)
        context.session.study.offered = lambda modality: (
            self._cached_approved(modality) if self.is_on else []
        )
        if context.preferences.technician:
            self.enter()
        else:
            self._show()

    def refusal(self) -> str:
        """Return the reason why the current protocol is not allowed; empty if it is."""
        study = self._context.session.study
        is_fine = not self.is_on or (self._is_approved(study.base) and not study.changes)
        return "" if is_fine else NOT_APPROVED.format(name=visible_line(study.base.name))

    def _is_approved(self, protocol: Protocol) -> bool:
        """Return True if the settings equal those of an approved protocol."""
        # Settings are compared, not names: a renamed copy of an approved protocol is fine.
        return digest_of(protocol) in map(digest_of, self.approved())

    def approved(self) -> list[Protocol]:
        """Return the approved protocols of the current modality."""
        return self._cached_approved(self._context.session.study.modality)

    def _cached_approved(self, modality: AnyModality) -> list[Protocol]:
        if modality.key not in self._approved:
            found = self._context.preferences.library.approved(modality)
            self._approved[modality.key] = [each.protocol for each in found]
        return self._approved[modality.key]

    def toggle(self) -> None:
        """Enter the mode, or leave it after the passphrase."""
        if not self.is_on:
            self._context.preferences.technician = True
            self.enter()
        elif self._may_leave():
            self.leave()

    def enter(self) -> None:
        """Show the window of the technician mode."""
        self.is_on = True
        # Settings that were changed by hand must not continue in a mode that hides them.
        self._approved.clear()
        self._context.session.study.start_again()
        self._show()

    def leave(self) -> None:
        """Show the full window until it is closed or the mode is entered again."""
        self.is_on = False
        self._context.session.study.start_again()
        self._show()

    def _may_leave(self) -> bool:
        stored = self._context.preferences.passphrase
        if not stored:
            return True
        entered = ask_text(self._window, tr("Unlock"), tr("Passphrase"), "", hidden=True)
        if entered and not is_right(entered, stored):
            show_reason(self._window, tr("Unlock"), tr("The passphrase is wrong."))
        return bool(entered) and is_right(entered, stored)

    def _show(self) -> None:
        for name, action in self._actions.items():
            action.setVisible(not self.is_on or name in ALLOWED)
        for each in self._extras:
            each.setVisible(not self.is_on)
        self._lock(self.is_on)
        for i in range(self._tabs.count()):
            # The visibility of the preview depends on the modality.
            if self._tabs.tabText(i) != PreviewTab.title:
                shown = not self.is_on or self._tabs.tabText(i) in TABS_ALLOWED
                self._tabs.setTabVisible(i, shown)
        self._actions["technician"].setText(tr("Unlock …") if self.is_on else tr("Technician mode"))
        self.changed.emit(self.is_on)
