"""What a report is of: a result with all that was kept of it, and who issues the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from engine.data.volume import Volume
from engine.documents.signature import Signature, signatures_of
from engine.documents.site import Site
from engine.plain import Plain
from engine.results.result import Result


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
    """

    result: Result
    volume: Volume
    provenance: Plain
    site: Site
    signatures: tuple[Signature, ...] = ()
    quality: Plain = field(default_factory=dict)

    @classmethod
    def read(cls, result: Result, site: Site, quality: Plain | None = None) -> Self:
        """Read a result from the disk; each of its files is compared with its digest."""
        return cls(
            result, result.volume(), result.provenance, site, signatures_of(result), quality or {}
        )

    @property
    def is_identified(self) -> bool:
        """Whether names of files may stand in the report, as they do in the study."""
        return bool(self.result.study.identified)

    def known(self, *keys: str) -> Any:
        """Return a value of the provenance by its keys; None where it is not there."""
        value: Any = self.provenance
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value
