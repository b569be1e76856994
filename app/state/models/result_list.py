"""The results on disk, as the window read them last."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.images.image_names import names_of_results
from app.ui.theme.formatting import size
from engine.results import Result
from engine.results.reports import Judgement


class ResultList(QObject):
    """Results, newest first, and the retention rule as text.

    Attributes
    ----------
    items : empty until the results have been read
    names : short name of each result by ID; names within one scan differ
    judgements : last judgement of each result that is signed off, by ID
    retained_until : retention time of results, for the user
    note : reason why the user's own limits could not be read; empty if they could
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[Result, ...] = ()
        self.names: dict[str, str] = {}
        self.judgements: Mapping[str, Judgement] = {}
        self.retained_until = ""
        self.note = ""

    def take(
        self,
        items: tuple[Result, ...],
        retained_until: str,
        note: str,
        judgements: Mapping[str, Judgement] = MappingProxyType({}),
    ) -> None:
        """Update the model with the results on disk.

        Parameters
        ----------
        items
            results, newest first
        retained_until
            retention time, for the user
        note
            reason why the limits could not be read; empty if they could
        judgements
            last judgement of each result that is signed off, by ID
        """
        self.judgements = judgements
        self.items, self.retained_until, self.note = items, retained_until, note
        # Names depend on each other: two results of a scan differ in the facts that they state.
        self.names = names_of_results(items)
        self.changed.emit()

    def describe(self) -> str:
        """Return the number of results and their total size."""
        n = tr("1 result") if len(self.items) == 1 else tr("{n} results", n=f"{len(self.items):,}")
        return f"{n}, {size(sum(each.n_bytes for each in self.items))}"
