"""References to the images that a file was made from or overlays (PS3.3 C.12.4)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.dicom.headers import Header
from engine.io.dicom.series import class_uid, digest_of, instance_uid, series_uid
from engine.io.dicom.subject import Subject


def references_of(
    volume: Volume, provenance: Plain, subject: Subject, series: Sequence[Header]
) -> Plain:
    """Return the images that a volume is, and the series that the subject names beside it.

    Parameters
    ----------
    volume, provenance, subject
        of what is written, as of the series that we would write
    series
        headers of the DICOM series that the volume was read from, of the same study; the series
        that we would write is referred to if empty and the volume is from no series

    Raises
    ------
    FileFormatError
        where a header names no instance
    """
    sources = _sources(volume, provenance, subject, series)
    beside = subject.references.get("ReferencedSeriesSequence", [])
    others = [each for each in beside if each["SeriesInstanceUID"] not in sources]
    named = [
        {"SeriesInstanceUID": uid, "ReferencedInstanceSequence": instances}
        for uid, instances in sources.items()
    ]
    images = [each for instances in sources.values() for each in instances]
    found: Plain = {"ReferencedSeriesSequence": [*named, *others]} if named or others else {}
    return found | ({"SourceImageSequence": images} if images else {})


def _sources(
    volume: Volume, provenance: Plain, subject: Subject, series: Sequence[Header]
) -> dict[str, list[Plain]]:
    """Return the instances of the series that is shown, by its UID."""
    if series:
        return {series[0].series: [_instance(each) for each in series]}
    if volume.patient:  # read from a series that nobody names: what we would write is another
        return {}
    shown = series_uid(subject, digest_of(volume))
    kind = class_uid(volume, provenance)
    numbers = range(1, volume.grid.shape[0] + 1)
    return {
        shown: [
            {"ReferencedSOPClassUID": kind, "ReferencedSOPInstanceUID": instance_uid(shown, n)}
            for n in numbers
        ]
    }


def _instance(header: Header) -> Plain:
    found = header.text("SOPClassUID"), header.text("SOPInstanceUID")
    if not all(found):
        raise FileFormatError(
            f"{header.path.name}: has no SOPInstanceUID, so no image can refer to it; export the "
            "series again."
        )
    return {"ReferencedSOPClassUID": found[0], "ReferencedSOPInstanceUID": found[1]}
