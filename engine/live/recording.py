"""The frames of a growing scan, kept as they came: the scan that an ordinary run reconstructs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import Array
from engine.data.projections import Projections
from engine.errors import DataError
from engine.geometry.xray import XrayGeometry
from engine.live.frame import Frame, FrameKind
from engine.live.view_ring import view_of


class Recording:
    """Keeps every frame of one scan; nothing is copied until the scan is asked for."""

    def __init__(self) -> None:
        self._views: dict[int, Frame] = {}
        self._darks: list[Array] = []
        self._flats: list[Array] = []
        self._flats_before: list[int] = []

        self._last_of: dict[FrameKind, int] = {}

    @property
    def n_views(self) -> int:
        """Projections that are there."""
        return len(self._views)

    def take(self, frame: Frame) -> None:
        """Keep a frame; one with the number of another replaces it."""
        if frame.kind == FrameKind.PROJECTION:
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

    def begin_anew(self) -> None:
        """Forget the projections; darks and flats stay, as taken before them."""
        self._views.clear()
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
