"""Identify the scan of an image, so that regions belong to a scan and not to one image.

The marks of a scan are the fingerprint or digest of its raw data, the pseudonym of their path, or
the frame of reference. A path alone never leads to regions of another content. If none of these is
known, the image identifies itself.
"""

from __future__ import annotations

from pathlib import Path
from weakref import WeakKeyDictionary

from app.state.models.images.open_volume import OpenVolume
from app.state.models.run_record import RunRecord
from app.state.models.session import Session
from engine.analysis.regions import image_mark, marks_of, scan_marks
from engine.protocols.privacy import pseudonym_of

Marks = tuple[str, ...]


class ScanMarks:
    """Marks of the scans of open volumes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # The digest of an image takes time, so marks are computed once.
        self._known: WeakKeyDictionary[OpenVolume, Marks] = WeakKeyDictionary()
        self._of_run: tuple[RunRecord, Marks] | None = None

    def of(self, opened: OpenVolume) -> Marks:
        """Return the marks of the scan of a volume; all images of one run belong to one scan.

        Parameters
        ----------
        opened
            open volume with its origin
        """
        if opened not in self._known:
            self._known[opened] = self._found(opened)
        return self._known[opened]

    def _found(self, opened: OpenVolume) -> Marks:
        if opened.motion is not None:  # its coordinates are no longer those of its scan
            return (image_mark(opened.volume),)
        found, record = _marks_of_origin(opened), self._session.run.record
        if found or opened.kind not in ("image", "iterate"):
            return found or marks_of(opened.volume)
        # The first image of the run identifies the others.
        if self._of_run is None or self._of_run[0] is not record:
            self._of_run = record, marks_of(opened.volume)
        return self._of_run[1]


def _marks_of_origin(opened: OpenVolume) -> Marks:
    """Return the marks from the origin of a volume; none if nothing is known about its scan."""
    origin = opened.origin
    return scan_marks(
        pseudonym=pseudonym_of(Path(origin.scan)) if origin.scan else "",
        digest=origin.digest,
        frame_of_reference=origin.frame_of_reference,
        fingerprint=origin.fingerprint,
        values=origin.values,
    )
