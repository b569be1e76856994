"""Subject of a report: a result with its stored files, and the issuer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from engine.analysis.regions.region_file import (
    StoredRegions,
    read_regions,
    regions_at,
    regions_file_of,
)
from engine.analysis.regions.region_set import RegionSet, marks_of
from engine.core.errors import DataError, EngineError
from engine.core.json_types import Plain
from engine.data.runs.record import RecordedRun
from engine.data.volume import Volume
from engine.results.reports.key_images import KeyImage, patient_mark, usable_key_images
from engine.results.reports.signature import (
    Signature,
    refuse_changed_record,
    signature_warnings,
    signatures_of,
)
from engine.results.reports.site import Site
from engine.results.result import VOLUME, Result


@dataclass(frozen=True)
class ReportSubject:
    """A result with its files read.

    Attributes
    ----------
    result : the result
    volume, provenance : image and its provenance
    site : issuer of the report
    signatures : signatures, the oldest first
    quality : quality report as written by `isocenter quality`; empty for none
    regions : regions of this scan to measure; None for none
    warnings : faults of signatures, log, key images and regions that the report must state
    key_images : pictures that a reader chose for the report; none shows the automatic ones. Those
        of another patient are omitted, see `own_key_images`
    draft : judgement and remark that are not signed yet, for a preview; empty for none
    """

    result: Result
    volume: Volume
    provenance: Plain
    site: Site
    signatures: tuple[Signature, ...] = ()
    quality: Plain = field(default_factory=dict)
    regions: RegionSet | None = None
    warnings: tuple[str, ...] = ()
    key_images: tuple[KeyImage, ...] = ()
    draft: tuple[str, str] = ("", "")

    @classmethod
    def read(
        cls, result: Result, site: Site, quality: Plain | None = None, regions: Path | None = None
    ) -> Self:
        """Read a result from disk; each file is compared with its digest.

        Parameters
        ----------
        result
            result to read
        site
            issuer of the report
        quality
            quality report as JSON values; None for none
        regions
            region file; None: the file next to the image, if there is one. If that one cannot be
            used, `warnings` states it

        Raises
        ------
        DataError
            if the regions of `regions` belong to another scan
        SettingsError
            if the file of `regions` is not a region file
        FileFormatError
            if a file of the result is damaged or was changed
        """
        refuse_changed_record(result)
        volume, made = result.volume(), signatures_of(result)
        found = (
            usable_regions(result, volume)
            if regions is None
            else StoredRegions(_regions_of(regions, volume))
        )
        chosen = usable_key_images(result)
        faults = filter(None, (found.fault, chosen.fault))
        return cls(
            result,
            volume,
            result.provenance,
            site,
            made,
            quality or {},
            found.regions,
            (*signature_warnings(result, made), *faults),
            chosen.images,
        )

    @property
    def run(self) -> RecordedRun:
        """Record of the run; for an old result, as far as its other files state it."""
        record = self.result.record
        if record.run is not None:
            return record.run
        return record.run_record.with_messages_of(self.provenance)

    @property
    def has_regions(self) -> bool:
        """True if there are regions to measure."""
        return self.regions is not None and bool(self.regions.regions)

    @property
    def own_key_images(self) -> tuple[KeyImage, ...]:
        """The key images without those that show another patient than the order of the result."""
        return tuple(each for each in self.key_images if not self._is_foreign(each))

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings, and a sentence about omitted key images."""
        if len(self.own_key_images) == len(self.key_images):
            return self.warnings
        text = (
            "The report omits key images with a second image of another patient. Check the order "
            "of the result, or choose other key images."
        )
        return (*self.warnings, text)

    def _is_foreign(self, image: KeyImage) -> bool:
        if not image.patient:
            return False
        try:
            order = self.result.order
        except EngineError:
            # The patient of the result cannot be compared.
            return True
        known = self.volume.patient if order is None else order.patient_id
        return image.patient != (patient_mark(known) or image.patient)

    @property
    def is_identified(self) -> bool:
        """True if the report may contain file names, as the study does."""
        return bool(self.result.study.identified)

    def known(self, *keys: str) -> object:
        """Return a value of the provenance by its keys; None if it is missing."""
        value: object = self.provenance
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value


def usable_regions(result: Result, volume: Volume) -> StoredRegions:
    """Return the stored regions of a result in the coordinates of its image.

    A file that is damaged or belongs to another scan does not stop the report: a sentence names it.

    Parameters
    ----------
    result
        result with the regions
    volume
        its image
    """
    path = regions_file_of(result.folder / VOLUME)
    if not path.exists():  # computing the mark of an image takes time
        return StoredRegions()
    # A new image in the window does not contain the digest of its scan.
    marks = {*marks_of(volume), *marks_of(volume, result.provenance)}
    found = regions_at(path, marks)
    if found.regions is not None:
        return StoredRegions(found.regions.facing(volume))
    return StoredRegions(
        fault=f"{result.id}/{found.fault} The report has no regions until this file is corrected "
        "or the regions are drawn again."
    )


def _regions_of(path: Path, volume: Volume) -> RegionSet:
    found = read_regions(path)
    # Figures of regions on a wrong image look plausible, so the marks of the scan must match.
    if not found.is_of(marks_of(volume)):
        raise DataError(
            f"{path.name}: these regions were drawn on another scan; choose regions drawn on the "
            "scan of this result."
        )
    return found.facing(volume)
