"""Record the frames of a growing scan as they arrive, for a normal run afterwards.

The thread that receives frames records them, so that slow slices lose none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from threading import Event

import numpy as np

from engine.core.errors import DataError
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.safety.budget import available_memory
from engine.live.core.frame import (
    Announced,
    Arrival,
    Frame,
    FrameKind,
    Noticed,
    Resumed,
    ShapeChanged,
)
from engine.live.core.message import message_of, message_of_geometry
from engine.live.core.source import FrameSource
from engine.live.ct.playing import Played
from engine.live.ct.recorded import assembled
from engine.live.ct.references import References
from engine.live.ct.views import is_same_geometry, starts_new_scan
from engine.live.recording.recorder import LiveRecorder

SPARE_SHARE = 0.5
"""Share of the free memory that frames may use."""


class Recording:
    """A source that passes on the frames of another one, and stores those of the newest scan.

    Nothing is copied until the scan is requested.

    Parameters
    ----------
    source : source of the frames
    geometry : geometry of the whole scan; None: the source provides it
    recorder : writes the frames to the disk before they are used; None: memory only

    Attributes
    ----------
    max_bytes : most memory for frames
    """

    def __init__(
        self,
        source: FrameSource,
        geometry: XrayGeometry | None = None,
        recorder: LiveRecorder | None = None,
    ) -> None:
        self._source, self._own, self._recorder = source, geometry, recorder
        self._announced: XrayGeometry | None = None
        self._before: XrayGeometry | None = None
        self.max_bytes = int(SPARE_SHARE * available_memory())
        self._forget()

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._source.name

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry from the source."""
        return self._source.geometry

    @property
    def can_wait(self) -> bool:
        """True if the source can wait."""
        return self._source.can_wait

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield everything from the source, after frames are stored.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        for arrival in self._source.frames(stop):
            if isinstance(arrival, Frame):
                notice = self._stored(arrival)
                if notice is not None:
                    yield notice
            # The frames so far belong to another detector or geometry, and cannot join this scan
            elif isinstance(arrival, ShapeChanged) or self._starts_other_geometry(arrival):
                self._forget()
            yield arrival
            if self._recorder is not None:
                for text in self._recorder.take_notices():
                    yield Noticed(text)

    def close(self) -> None:
        """Close the source; stored frames remain."""
        self._source.close()

    def views(self, but: Collection[int], max_views: int) -> list[Frame]:
        """Return recorded projections.

        Parameters
        ----------
        but
            numbers of projections to leave out
        max_views
            most projections
        """
        stored = list(self._views.values())  # a copy first: the thread of the source continues
        return [frame for frame in stored if frame.index not in but][:max_views]

    def _forget(self) -> None:
        if self._recorder is not None:
            self._recorder.start_another()
        self._announced = None
        self._newest: int | None = None
        self._views: dict[int, Frame] = {}
        self._darks, self._flats = References(), References()
        self._scan: int | None = None
        self._shape: tuple[int, ...] | None = None
        self._view_bytes = 0
        self._is_full = False

    @property
    def is_full(self) -> bool:
        """True if there was no memory for some frames."""
        return self._is_full

    @property
    def n_views(self) -> int:
        """Number of recorded projections."""
        return len(self._views)

    @property
    def geometry_of_scan(self) -> XrayGeometry | None:
        """Geometry of the recorded scan, once it is known."""
        return self._own or self._source.geometry

    def _starts_other_geometry(self, arrival: Arrival) -> bool:
        """Return True if another scan starts whose geometry differs from the current one."""
        if isinstance(arrival, Resumed) and arrival.is_new_sender:
            return True
        may = isinstance(arrival, Announced) or (
            isinstance(arrival, Resumed) and arrival.is_new_scan
        )
        if self._own is not None or not may:
            return False
        return self._before is not None and not is_same_geometry(
            self._before, self._source.geometry
        )

    def _stored(self, frame: Frame) -> Noticed | None:
        """Store a frame if there is enough memory; return a message about full memory."""
        geometry, values = self.geometry_of_scan, frame.values
        self._before = self._source.geometry
        if values.shape != self._shape:
            self._forget()
            self._shape = values.shape
        if frame.kind == FrameKind.PROJECTION:
            # Frames after the planned scan, such as those of a detector that is still running
            if geometry is not None and frame.index >= geometry.n_views:
                return None
            if starts_new_scan(frame, self._newest, self._scan):
                self._restart()
            self._scan = frame.scan
            self._newest = max(frame.index, -1 if self._newest is None else self._newest)
        self._write(frame)
        n_bytes = self._view_bytes + self._darks.n_bytes + self._flats.n_bytes
        if n_bytes + values.nbytes <= self.max_bytes:
            self._keep(frame)
            return None
        if self._is_full:
            return None
        # One message only: all further frames exceed the same limit
        self._is_full = True
        if self._recorder is not None:
            return None
        return Noticed(
            f"{self.name}: the recorded frames use {n_bytes / 2**30:,.1f} of at "
            f"most {self.max_bytes / 2**30:,.1f} GiB. Further frames are not "
            "recorded. Use sliding views, or record with the detector's program."
        )

    def _keep(self, frame: Frame) -> None:
        """Store a frame; one with the same number is replaced."""
        if frame.kind != FrameKind.PROJECTION:
            stored = self._flats if frame.kind == FrameKind.FLAT else self._darks
            stored.keep(frame, len(self._views))
            return
        before = self._views.get(frame.index)
        self._view_bytes += int(frame.values.nbytes)
        # A repeated number replaces its frame and frees its memory
        self._view_bytes -= 0 if before is None else int(before.values.nbytes)
        self._views[frame.index] = frame

    def _restart(self) -> None:
        """Discard the projections; the last darks and flats stay for the new scan."""
        self._views, self._view_bytes, self._is_full = {}, 0, False
        self._newest = None
        self._darks.restart()
        self._flats.restart()
        if self._recorder is None:
            return
        self._recorder.start_another()
        self._announced = None
        # The next recording is complete only with the references that its scan uses
        for kind, stored in ((FrameKind.DARK, self._darks), (FrameKind.FLAT, self._flats)):
            for index, values in enumerate(stored):
                self._write(Frame(kind, index, None, values, 0.0))

    def _write(self, frame: Frame) -> None:
        """Send a frame to the disk, after the geometry of its scan."""
        if self._recorder is None:
            return
        geometry = self.geometry_of_scan
        if geometry is not None and geometry is not self._announced:
            # A sender announces the same geometry every few seconds
            is_known, self._announced = is_same_geometry(self._announced, geometry), geometry
            if not is_known:
                self._recorder.announce(message_of_geometry(geometry))
        played = Played(frame.kind, frame.index, frame.angle_rad, frame.values)
        self._recorder.put(1, message_of(played))

    @property
    def sha256(self) -> str:
        """Digest of all recorded frames in the order of their numbers."""
        found = hashlib.sha256()
        for number in sorted(self._views):
            # Number and kind are in the digest, so that exchanged frames change it
            found.update(f"projection {number}".encode())
            found.update(np.ascontiguousarray(self._views[number].values).tobytes())
        for kind, stored in (("flats", self._flats), ("darks", self._darks)):
            found.update(f"{kind} {stored.followed_by}".encode())
            for values in stored:
                found.update(np.ascontiguousarray(values).tobytes())
        return found.hexdigest()

    def scan(self, geometry: XrayGeometry) -> Projections:
        """Return the recorded frames as a scan of counts.

        Parameters
        ----------
        geometry
            geometry of the whole scan

        Returns
        -------
        scan
            projections in the order of their numbers, with the measured angles and a note about
            missing ones

        Raises
        ------
        DataError
            if no projection arrived
        """
        if not self._views:
            raise DataError(
                "the scan cannot be saved because no projections were received; check that the "
                "source sends them."
            )
        frames = [self._views[k] for k in sorted(self._views) if k < geometry.n_views]
        values = np.stack([frame.values for frame in frames])
        return assembled(
            geometry, frames, values, (self._flats.stacked, self._darks.stacked), self._flats
        )
