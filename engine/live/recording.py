"""The frames of a growing scan, kept as they came: the scan that an ordinary run reconstructs.

They are kept in the thread that receives them, so that none is lost to slices that are slow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from threading import Event

import numpy as np

from engine.arrays import Array
from engine.data.projections import Projections
from engine.errors import DataError
from engine.geometry.xray import XrayGeometry
from engine.live.frame import Arrival, Frame, FrameKind, ShapeChanged
from engine.live.source import FrameSource
from engine.live.view_ring import view_of
from engine.live.views import begins_anew


class Recording:
    """A source that passes on what another yields, and keeps every frame of the newest scan.

    Nothing is copied until the scan is asked for.

    Parameters
    ----------
    source : of the frames
    """

    def __init__(self, source: FrameSource) -> None:
        self._source = source
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
                self._keep(arrival)
            elif isinstance(arrival, ShapeChanged):
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
        self._darks: list[Array] = []
        self._flats: list[Array] = []
        self._flats_before: list[int] = []
        self._scan: int | None = None

        self._last_of: dict[FrameKind, int] = {}

    @property
    def n_views(self) -> int:
        """Projections that are there."""
        return len(self._views)

    def _keep(self, frame: Frame) -> None:
        """Keep a frame; one with the number of another replaces it."""
        if frame.kind == FrameKind.PROJECTION:
            if begins_anew(frame, max(self._views, default=None), self._scan):
                self._begin_anew()
            self._scan = frame.scan
            self._views[frame.index] = frame
            return
        if frame.index <= self._last_of.get(frame.kind, -1):
            self._begin_references_anew(frame.kind)
        self._last_of[frame.kind] = frame.index
        if frame.kind == FrameKind.FLAT:
            self._flats.append(frame.values)
            # the number of the projection that follows it, as `Projections.info` counts
            self._flats_before.append(len(self._views))
        else:
            self._darks.append(frame.values)

    def _begin_anew(self) -> None:
        """Forget the projections; darks and flats stay, as taken before them."""
        self._views = {}
        self._flats_before = [0] * len(self._flats)

    def _begin_references_anew(self, kind: FrameKind) -> None:
        """Forget darks or flats: they are counted from the beginning again."""
        if kind == FrameKind.FLAT:
            self._flats.clear()
            self._flats_before.clear()
        else:
            self._darks.clear()

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
        missing = geometry.n_views - len(frames)
        notes = (f"{missing} of {geometry.n_views} projections never came.",) if missing else ()
        return Projections(
            np.stack([frame.values for frame in frames]),
            whole,
            kind="counts",
            flats=np.stack(self._flats) if self._flats else None,
            darks=np.stack(self._darks) if self._darks else None,
            info={"flat_views": list(self._flats_before)} if self._flats else {},
            notes=notes,
        )
