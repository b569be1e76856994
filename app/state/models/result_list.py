"""The results on disk, as the window read them last."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.images.image_names import names_of_results
from app.state.models.images.volume_origin import Origin
from app.ui.theme.formatting import size
from engine.core.errors import EngineError
from engine.data import Plain
from engine.modalities import Study
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
        self._origins: dict[str, Origin] = {}

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

    def of_scan(self, study: Study | None, inputs: Plain) -> tuple[Result, ...]:
        """Return the results of a scan, newest first.

        A file name does not identify a scan: many exports use the same names.

        Parameters
        ----------
        study
            study of an image of the scan; None gives no results
        inputs
            files of the image by role, with their digests; empty if unknown
        """
        if study is None:
            return ()
        wanted, scan = Origin.of_scan(study, inputs), study.data.name
        return tuple(
            each
            for each in self.items
            if each.scan == scan and wanted.is_same_scan(self._origin_of(each))
        )

    def _origin_of(self, result: Result) -> Origin:
        if result.id not in self._origins:
            study: Study | None = None
            with suppress(EngineError):  # opening the result reports the fault
                study = result.study
            self._origins[result.id] = Origin.of_scan(study, result.record.inputs)
        return self._origins[result.id]

    def describe(self) -> str:
        """Return the number of results and their total size."""
        n = tr("1 result") if len(self.items) == 1 else tr("{n} results", n=f"{len(self.items):,}")
        return f"{n}, {size(sum(each.n_bytes for each in self.items))}"
