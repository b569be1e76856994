"""What a report is of: a result with all that was kept of it, and who issues the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from engine.analysis.regions.region_file import read_regions, regions_file_of
from engine.analysis.regions.region_set import RegionSet, marks_of
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.runs.record import RecordedRun
from engine.data.volume import Volume
from engine.results.reports.signature import Signature, signatures_of
from engine.results.reports.site import Site
from engine.results.result import VOLUME, Result


@dataclass(frozen=True)
class ReportSubject:
    """A result, read.

    Attributes
    ----------
    result : the result
    volume, provenance : its image, and what made it
    site : who issues the report
    signatures : who signed it off, the oldest first
    quality : a report of the image's quality, as `isocenter quality` wrote it; empty for none
    regions : of this scan, to measure in the image; None for none
    """

    result: Result
    volume: Volume
    provenance: Plain
    site: Site
    signatures: tuple[Signature, ...] = ()
    quality: Plain = field(default_factory=dict)
    regions: RegionSet | None = None

    @classmethod
    def read(
        cls, result: Result, site: Site, quality: Plain | None = None, regions: Path | None = None
    ) -> Self:
        """Read a result from the disk; each of its files is compared with its digest.

        Regions are those of a file, or those beside its image; of another scan they are refused.
        """
        volume = result.volume()
        beside = regions_file_of(result.folder / VOLUME)
        path = regions or (beside if beside.exists() else None)
        return cls(
            result,
            volume,
            result.provenance,
            site,
            signatures_of(result),
            quality or {},
            None if path is None else _regions_of(path, volume),
        )

    @property
    def run(self) -> RecordedRun:
        """The record of the run; of an old result what its other files know of it."""
        record = self.result.record
        if record.run is not None:
            return record.run
        return record.run_record.with_messages_of(self.provenance)

    @property
    def is_identified(self) -> bool:
        """Whether names of files may stand in the report, as they do in the study."""
        return bool(self.result.study.identified)

    def known(self, *keys: str) -> object:
        """Return a value of the provenance by its keys; None where it is not there."""
        value: object = self.provenance
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value


def _regions_of(path: Path, volume: Volume) -> RegionSet:
    found = read_regions(path)
    if not found.is_of(marks_of(volume)):
        raise DataError(
            f"{path.name}: these regions were drawn on another scan than the result is of; choose "
            "those of its own scan."
        )
    return found.facing(volume)
