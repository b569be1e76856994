"""A live scan of a cylinder, with a closed form for each frame."""

from __future__ import annotations

from time import monotonic

import numpy as np

from engine.geometry.orbits import circle, circular_cone
from engine.live.core.frame import Ended, Frame, FrameKind

N, MU, RADIUS_MM = 40, 0.02, 15.0
DARK, OPEN = 100, 50_000


def cone(n=N, *, axis_column=None, turn=2 * np.pi):
    return circular_cone(
        circle(n, range_rad=turn),
        source_axis_mm=200,
        source_detector_mm=400,
        shape=(32, 48),
        pixel_mm=2.0,
        axis_column=axis_column,
    )


def counts_of(geometry, centre=(0.0, 0.0), mu=MU):
    """Return counts behind a cylinder along z: chord = 2 √(b² − a c) / a, times the ray length."""
    out = np.empty((geometry.n_views, *geometry.shape))
    for view in range(geometry.n_views):
        if geometry.beam == "cone":
            source = geometry.source_mm[view]
            ray = geometry.pixel_mm(view) - source
        else:
            source = geometry.pixel_mm(view)
            ray = np.broadcast_to(geometry.source_mm[view], source.shape)
        away = source[..., :2] - centre
        a, b = (ray[..., :2] ** 2).sum(-1), (ray[..., :2] * away).sum(-1)
        c = (away**2).sum(-1) - RADIUS_MM**2
        chord = 2 * np.sqrt(np.maximum(b**2 - a * c, 0)) / a * np.linalg.norm(ray, axis=-1)
        out[view] = OPEN * np.exp(-mu * chord) + DARK
    return np.rint(out).astype(np.uint16)


def references(shape):
    dark, flat = np.full(shape, DARK, np.uint16), np.full(shape, OPEN + DARK, np.uint16)
    return [Frame(FrameKind.DARK, 0, None, dark, 0.0), Frame(FrameKind.FLAT, 0, None, flat, 0.0)]


def frames_of(geometry, counts, numbers):
    n = geometry.n_views
    return [
        Frame(
            FrameKind.PROJECTION, k, float(geometry.angles_rad[k % n]), counts[k % n], monotonic()
        )
        for k in numbers
    ]


class Beamline:
    """A source that sends given arrivals as fast as they are read."""

    name = "beamline"
    can_wait = True

    def __init__(self, arrivals, geometry=None):
        self._arrivals, self.geometry = arrivals, geometry

    def frames(self, stop):
        for each in self._arrivals:
            if stop.is_set():
                return
            if isinstance(each, Exception):
                raise each
            yield each
        yield Ended("beamline: ended.")

    def close(self):
        """Do nothing: no resource is open."""
