"""The frames of a growing scan, kept as they came: the scan that an ordinary run reconstructs.

They are kept in the thread that receives them, so that none is lost to slices that are slow.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from threading import Event

import numpy as np
import psutil

from engine.core.errors import DataError
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import (
    Announced,
    Arrival,
    Frame,
    FrameKind,
    Noticed,
    Resumed,
    ShapeChanged,
)
from engine.live.core.source import FrameSource
from engine.live.ct.references import References
from engine.live.ct.view_ring import view_of
from engine.live.ct.views import begins_anew, is_same_geometry

ROOM = 0.5
"""Part of the free memory that frames may take."""


class Recording:
    """A source that passes on what another yields, and keeps every frame of the newest scan.

    Nothing is copied until the scan is asked for.

    Parameters
    ----------
    source : of the frames
    geometry : of the whole scan; None: the source brings it

    Attributes
    ----------
    most_bytes : of frames that are kept
    """

    def __init__(self, source: FrameSource, geometry: XrayGeometry | None = None) -> None:
        self._source, self._own = source, geometry
        self._before: XrayGeometry | None = None
        self.most_bytes = int(ROOM * psutil.virtual_memory().available)
        self._forget()

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._source.name

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry that the source brings."""
        return self._source.geometry

    @property
    def can_wait(self) -> bool:
        """Whether the source can."""
        return self._source.can_wait

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield what the source does, each frame kept before."""
        for arrival in self._source.frames(stop):
            if isinstance(arrival, Frame):
                yield from self._kept(arrival)
            elif isinstance(arrival, ShapeChanged) or self._moved(arrival):
                self._forget()
            yield arrival

    def close(self) -> None:
        """Let go of the source; what was kept stays."""
        self._source.close()

    def views(self, but: Collection[int], most: int) -> list[Frame]:
        """Return the first projections whose numbers are not among some."""
        kept = list(self._views.values())  # at once: the thread of the source goes on
        return [frame for frame in kept if frame.index not in but][:most]

    def _forget(self) -> None:
        self._views: dict[int, Frame] = {}
        self._darks, self._flats = References(), References()
        self._scan: int | None = None
        self._shape: tuple[int, ...] | None = None
        self._view_bytes = 0
        self._is_full = False

    @property
    def n_views(self) -> int:
        """Projections that are there."""
        return len(self._views)

    @property
    def geometry_of_scan(self) -> XrayGeometry | None:
        """Geometry of the scan that is kept, once it is known."""
        return self._own or self._source.geometry

    def _moved(self, arrival: Arrival) -> bool:
        """Whether another scan begins, for which the geometry of the one before does not hold."""
        may = isinstance(arrival, Announced) or (isinstance(arrival, Resumed) and arrival.anew)
        if self._own is not None or not may:
            return False
        return self._before is not None and not is_same_geometry(
            self._before, self._source.geometry
        )

    def _kept(self, frame: Frame) -> Iterator[Noticed]:
        """Keep a frame where there is room for it."""
        geometry = self.geometry_of_scan
        self._before = self._source.geometry
        if frame.values.shape != self._shape:
            self._forget()
            self._shape = frame.values.shape
        is_beyond = geometry is not None and frame.index >= geometry.n_views
        if frame.kind == FrameKind.PROJECTION and is_beyond:
            return
        n_bytes = self._view_bytes + self._darks.n_bytes + self._flats.n_bytes
        if n_bytes + frame.values.nbytes <= self.most_bytes:
            self._keep(frame)
        elif not self._is_full:
            self._is_full = True
            yield Noticed(
                f"{self.name}: the frames that are kept fill {n_bytes / 2**30:,.1f} GiB, "
                f"more than {self.most_bytes / 2**30:,.1f} GiB of memory are not taken; further "
                "ones are not kept. Follow sliding views, or record with the detector's program."
            )

    def _keep(self, frame: Frame) -> None:
        """Keep a frame; one with the number of another replaces it."""
        if frame.kind != FrameKind.PROJECTION:
            kept = self._flats if frame.kind == FrameKind.FLAT else self._darks
            kept.keep(frame, len(self._views))
            return
        if begins_anew(frame, max(self._views, default=None), self._scan):
            self._begin_anew()
        self._scan = frame.scan
        before = self._views.get(frame.index)
        self._view_bytes += int(frame.values.nbytes)
        self._view_bytes -= 0 if before is None else int(before.values.nbytes)
        self._views[frame.index] = frame

    def _begin_anew(self) -> None:
        """Forget the projections; the last darks and flats stay, as taken before them."""
        self._views, self._view_bytes, self._is_full = {}, 0, False
        self._darks.begin_anew()
        self._flats.begin_anew()

    @property
    def sha256(self) -> str:
        """Digest of all frames that are kept, in the order of their numbers."""
        found = hashlib.sha256()
        for number in sorted(self._views):
            found.update(f"projection {number}".encode())
            found.update(np.ascontiguousarray(self._views[number].values).tobytes())
        for kind, kept in (("flats", self._flats), ("darks", self._darks)):
            found.update(f"{kind} {kept.followed_by}".encode())
            stacked = kept.stacked
            if stacked is not None:
                found.update(np.ascontiguousarray(stacked).tobytes())
        return found.hexdigest()

    def scan(self, geometry: XrayGeometry) -> Projections:
        """Return all that came as a scan of counts.

        Raises
        ------
        DataError
            where no projection came
        """
        if not self._views:
            raise DataError("no projection came, so there is no scan to keep.")
        frames = [self._views[k] for k in sorted(self._views) if k < geometry.n_views]
        views = [view_of(geometry, frame) for frame in frames]
        names = ("source_mm", "detector_mm", "u_mm", "v_mm")
        vectors = [np.concatenate([getattr(view, name) for view in views]) for name in names]
        whole = replace(
            geometry,
            source_mm=vectors[0],
            detector_mm=vectors[1],
            u_mm=vectors[2],
            v_mm=vectors[3],
        )
        missing, flat_views = geometry.n_views - len(frames), self._flats.followed_by
        notes = (f"{missing} of {geometry.n_views} projections never came.",) if missing else ()
        return Projections(
            np.stack([frame.values for frame in frames]),
            whole,
            kind="counts",
            flats=self._flats.stacked,
            darks=self._darks.stacked,
            info={"flat_views": flat_views} if flat_views else {},
            notes=notes,
        )
