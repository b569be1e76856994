"""The results on disk, as the window read them last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

    Signals
    -------
    changed : other results, or the scans of some became known
    scans_needed : the scans of the `unread` results must be read, in a thread

    Attributes
    ----------
    items : empty until the results have been read
    names : short name of each result by ID; names within one scan differ
    judgements : last judgement of each result that is signed off, by ID
    retained_until : retention time of results, for the user
    note : reason why the user's own limits could not be read; empty if they could
    """

    changed = Signal()
    scans_needed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[Result, ...] = ()
        self.names: dict[str, str] = {}
        self.judgements: Mapping[str, Judgement] = {}
        self.retained_until = ""
        self.note = ""
        self._origins: dict[str, Origin] = {}
        self._unread: dict[str, Result] = {}
        self._asked: set[str] = set()

    def take(
        self,
        items: tuple[Result, ...],
        retained_until: str,
        note: str,
        judgements: Mapping[str, Judgement] = MappingProxyType({}),
        origins: Mapping[str, Origin] = MappingProxyType({}),
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
        origins
            result of `origins_of` for those of `unread_among`
        """
        self.judgements = judgements
        self._origins |= origins
        self.items, self.retained_until, self.note = items, retained_until, note
        # Names depend on each other: two results of a scan differ in the facts that they state.
        self.names = names_of_results(items)
        self.changed.emit()

    def of_scan(self, study: Study | None, inputs: Plain) -> tuple[Result, ...]:
        """Return the results of a scan, newest first.

        A file name does not identify a scan: many exports use the same names. Results with this
        name are missing until their scans are read. Then `changed` is emitted.

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
        self._asked.add(scan)
        named = [each for each in self.items if each.scan == scan]
        unread = {each.id: each for each in named if each.id not in self._origins}
        if not unread.keys() <= self._unread.keys():
            self._unread |= unread
            self.scans_needed.emit()
        known = ((each, self._origins.get(each.id)) for each in named)
        return tuple(
            each for each, origin in known if origin is not None and wanted.is_same_scan(origin)
        )

    def unread_among(self, items: Iterable[Result]) -> list[Result]:
        """Return the results with unread scans that `of_scan` needs; a thread calls this.

        Parameters
        ----------
        items
            results on disk
        """
        asked, known = {*self._asked}, {*self._origins}
        return [each for each in items if each.scan in asked and each.id not in known]

    @property
    def unread(self) -> tuple[Result, ...]:
        """Results with unread scans that `of_scan` needs."""
        return tuple(self._unread.values())

    def take_origins(self, origins: Mapping[str, Origin]) -> None:
        """Take the origins of results that were unread.

        Parameters
        ----------
        origins
            result of `origins_of`
        """
        self._origins |= origins
        self._unread = {id: each for id, each in self._unread.items() if id not in origins}
        self.changed.emit()

    def describe(self) -> str:
        """Return the number of results and their total size."""
        n = tr("1 result") if len(self.items) == 1 else tr("{n} results", n=f"{len(self.items):,}")
        return f"{n}, {size(sum(each.n_bytes for each in self.items))}"


def origins_of(results: Iterable[Result]) -> dict[str, Origin]:
    """Read the scans of results, in a thread.

    Parameters
    ----------
    results
        results on disk

    Returns
    -------
    dict
        ID of each result -> origin of its images; without facts if its study is damaged
    """
    found: dict[str, Origin] = {}
    for each in results:
        study: Study | None = None
        with suppress(EngineError):  # opening the result reports the fault
            study = each.study
        found[each.id] = Origin.of_scan(study, each.record.inputs)
    return found
