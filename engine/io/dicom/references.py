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
    """Return references to the source images of a file.

    Parameters
    ----------
    volume, provenance, subject
        image, its origin, and its patient and study
    series
        headers of the DICOM series that the volume was read from, in the same study; if empty, a
        volume
        that was not read from a series refers to the series that this program would write

    Returns
    -------
    attributes
        ReferencedSeriesSequence and SourceImageSequence, if there are references

    Raises
    ------
    FileFormatError
        if a header has no SOPInstanceUID
    """
    sources = _sources(volume, provenance, subject, series)
    beside = subject.references.get("ReferencedSeriesSequence", [])
    # One item for each series: viewers take only the first one.
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
    """Return the instances of the displayed series, by SeriesInstanceUID."""
    if series:
        return {series[0].series: [_instance(each) for each in series]}
    # Read from a series that was not passed. Our own series would be another one.
    if volume.patient:
        return {}
    # UIDs follow from the content, so the series can be written before or after this file.
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
