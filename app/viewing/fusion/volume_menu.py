"""The menu for choosing a volume: open volumes, inputs, iterates, results, files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu

from app.language.translation import tr
from app.state.services.volume_commands import Place, VolumeChoice, VolumeCommands
from app.views.literal_text import literal_tip
from app.views.slices.labels import shortened

MENU_CHARACTERS = 60
MAX_RESULTS = 25
"""Number of newest results in the menu. The panel Results has all of them."""


class VolumeMenu(QMenu):
    """A menu that is rebuilt each time it opens.

    Parameters
    ----------
    commands : actions on volumes
    place : "base", "overlay" or "compare", the position of the chosen volume
    chosen : returns the key of the volume at this position
    ask_file : asks for a file and opens it
    """

    def __init__(
        self,
        commands: VolumeCommands,
        place: Place,
        chosen: Callable[[], str],
        ask_file: Callable[[], object],
    ) -> None:
        super().__init__()
        self._commands, self._place = commands, place
        self._chosen, self._ask_file = chosen, ask_file
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Add the available volumes."""
        self.clear()
        commands, chosen = self._commands, self._chosen()
        if self._place == "overlay" or commands.may_close(chosen):
            words = (
                tr("No volume")
                if self._place == "overlay"
                else tr("Image of the current run, if available")
            )
            none = self.addAction(words)
            none.setCheckable(True)
            none.setChecked(not chosen)
            none.triggered.connect(lambda: self._remove_volume(chosen))
            self.addSeparator()
        opened = commands.opened()
        # An image is compared with another one, not with itself.
        offered = [e for e in opened if self._place != "compare" or not commands.is_base(e.key)]
        self._add(self, offered, chosen)
        # An input that is open already is not listed twice.
        keys = {each.key for each in opened}
        self._add(self, [each for each in commands.inputs() if each.key not in keys], chosen)
        self.addSeparator()
        for title, found in (
            (tr("Iterations"), commands.iterates()),
            (tr("Results"), commands.results()[:MAX_RESULTS]),
        ):
            inner = self.addMenu(title)
            # Titles are shortened, and the tooltip shows them completely.
            inner.setToolTipsVisible(True)
            inner.setEnabled(bool(found))
            self._add(inner, found, chosen)
        self.addAction(tr("File …")).triggered.connect(lambda: self._ask_file())
        closable = [each for each in opened if commands.may_close(each.key)]
        if closable:
            closing = self.addMenu(tr("Close"))
            for each in closable:
                action = closing.addAction(_title(each))
                action.triggered.connect(lambda _=False, key=each.key: commands.close(key))

    def _remove_volume(self, chosen: str) -> None:
        if self._place == "overlay":
            self._commands.place("", self._place)
        else:
            self._commands.close(chosen)

    def _add(self, menu: QMenu, choices: Sequence[VolumeChoice], chosen: str) -> None:
        for each in choices:
            action = menu.addAction(_title(each))
            action.setToolTip(literal_tip(each.title))
            action.setCheckable(True)
            action.setChecked(each.key == chosen)
            # Default arguments bind the loop variable now; the closure would see the last one.
            action.triggered.connect(lambda _=False, each=each: each.open(self._place))


def _title(choice: VolumeChoice) -> str:
    return shortened(choice.title, MENU_CHARACTERS).replace("&", "&&")  # no access key
