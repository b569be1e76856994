"""The window during a live scan: only its page, without the panels of a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.live.connect_card import EVENTS, FRAMES
from app.live.live_commands import LiveCommands
from app.shell.central_area import CentralArea
from app.state.models.inputs import DATA
from app.state.services.context import AppContext
from engine.modalities import Study


class LiveMode(QObject):
    """Show the live page, and the panels again when it is left.

    Signals
    -------
    changed : the page is shown or left, or the scan has another state

    Parameters
    ----------
    context, window : context and parent window
    centre : area in which the page is shown
    hidden_widgets : panels that are hidden during that time
    open_and_start : opens a study and reconstructs it
    confirm : asks with a title, a text and the label of the button that confirms
    """

    changed = Signal()

    def __init__(
        self,
        context: AppContext,
        window: QWidget,
        centre: CentralArea,
        hidden_widgets: Sequence[QWidget],
        *,
        open_and_start: Callable[[Study], object],
        confirm: Callable[[str, str, str], bool],
    ) -> None:
        super().__init__(window)
        self._context, self._centre, self._side_panels = context, centre, hidden_widgets
        self._hidden: list[QWidget] = []
        self.commands = LiveCommands(
            context, window, leave=self.leave, open_and_start=open_and_start, confirm=confirm
        )
        centre.add_live(self.commands.page)
        self.commands.page.state_changed.connect(self.changed)

    @property
    def is_shown(self) -> bool:
        """True if the page is displayed."""
        return self._centre.shows_live

    def show(self) -> None:
        """Show the page without connecting to a source."""
        if not self.is_shown:
            # Panels that the user had closed must not appear afterwards.
            self._hidden = [panel for panel in self._side_panels if panel.isVisible()]
            for panel in self._hidden:
                panel.hide()
            self._suggest()
        self._centre.show_live(True)
        self.changed.emit()

    def _suggest(self) -> None:
        """Preset the form with facts of the current study."""
        study, page = self._context.session.study, self.commands.page
        if DATA not in study.inputs:
            return
        if study.xray is not None:
            page.suggest_scan(Path(study.inputs[DATA].value))
        # The kind of the current study is the most likely one.
        page.offer(EVENTS if page.pet_model.has_current_protocol else FRAMES)

    def show_demo(self, kind: int) -> None:
        """Show the page and play a demo.

        Parameters
        ----------
        kind
            `FRAMES` or `EVENTS`
        """
        self.show()
        self.commands.try_demo(kind)

    def leave(self) -> None:
        """Show the images again; a running scan is still followed."""
        if not self.is_shown:
            return
        # The session runs on in its thread; only its display ends.
        self._centre.show_live(False)
        for panel in self._hidden:
            panel.show()
        self._hidden = []
        self.changed.emit()

    @property
    def words(self) -> str:
        """State of the live scan, for the status line."""
        return self.commands.model.state[0] or tr("Choose the source of the live scan.")

    def may_close(self) -> bool:
        """Ask before an unsaved live scan is lost; return True if the window may close."""
        return self.commands.may_forget()
