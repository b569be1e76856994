"""The results on disk, as the window last saw them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.images.image_names import names_of_results
from app.ui.theme.formatting import size
from engine.results import Result


class ResultList(QObject):
    """Results, the newest first, and in words how long they are kept.

    Attributes
    ----------
    items : none before they were looked for
    names : short name of each by its id; those of one scan differ
    kept_until : how long results are kept
    note : why the user's own limits could not be read, empty if they could
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[Result, ...] = ()
        self.names: dict[str, str] = {}
        self.kept_until = ""
        self.note = ""

    def take(self, items: tuple[Result, ...], kept_until: str, note: str) -> None:
        """Take over what was found."""
        self.items, self.kept_until, self.note = items, kept_until, note
        self.names = names_of_results(items)
        self.changed.emit()

    def describe(self) -> str:
        """Return how many there are and what room they take."""
        n = tr("1 result") if len(self.items) == 1 else f"{len(self.items):,} results"
        return f"{n}, {size(sum(each.n_bytes for each in self.items))}"
