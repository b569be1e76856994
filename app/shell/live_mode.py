"""The window while a running scan is followed: its page alone, without the panels of a study."""

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
    """Shows the page, and the panels again when it is left.

    Signals
    -------
    changed : the page is shown or left, or the scan that is followed has another state

    Parameters
    ----------
    context, window : of the panels
    centre : where the page is shown
    hidden_widgets : panels that are hidden meanwhile
    open_and_start : opens a study and reconstructs it
    confirm : asks, with a title, a text and the word that does it
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
        self._context, self._centre, self._beside = context, centre, hidden_widgets
        self._hidden: list[QWidget] = []
        self.commands = LiveCommands(
            context, window, leave=self.leave, open_and_start=open_and_start, confirm=confirm
        )
        centre.add_live(self.commands.page)
        self.commands.page.state_changed.connect(self.changed)

    @property
    def is_shown(self) -> bool:
        """Whether the page is on show."""
        return self._centre.shows_live

    def show(self) -> None:
        """Show the page; nothing is connected by that."""
        if not self.is_shown:
            self._hidden = [panel for panel in self._beside if panel.isVisible()]
            for panel in self._hidden:
                panel.hide()
            self._suggest()
        self._centre.show_live(True)
        self.changed.emit()

    def _suggest(self) -> None:
        """Offer what the study at hand tells of a scan like it."""
        study, page = self._context.session.study, self.commands.page
        if DATA not in study.inputs:
            return
        if study.xray is not None:
            page.suggest_scan(Path(study.inputs[DATA].value))
        page.offer(EVENTS if page.pet_model.has_current_protocol else FRAMES)

    def show_demo(self, kind: int) -> None:
        """Show the page and play the demo of a kind of scan."""
        self.show()
        self.commands.try_demo(kind)

    def leave(self) -> None:
        """Show the images again; a scan that runs is followed on."""
        if not self.is_shown:
            return
        self._centre.show_live(False)
        for panel in self._hidden:
            panel.show()
        self._hidden = []
        self.changed.emit()

    @property
    def words(self) -> str:
        """What happens to the scan that is followed, for the status line."""
        return self.commands.model.state[0] or tr("Choose the source of the live scan.")

    def may_close(self) -> bool:
        """Ask before views go that lie nowhere else."""
        return self.commands.may_forget()
