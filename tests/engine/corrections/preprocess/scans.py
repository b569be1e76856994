"""Scans of discs in closed form, and a simple filtered back projection for their images."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry

DISCS = ((0.0, 0.0, 40.0, 0.02), (18.0, 6.0, 6.0, 0.02), (-10.0, -22.0, 4.0, -0.015))
"""(x, y, radius) [mm] and attenuation [1/mm]."""
VIEWS_AT_ONCE = 16  # pixel positions of so many views fit into the processor's cache


def geometry(n_views=180, n_rows=3, n_cols=121, axis=None, turn=np.pi) -> XrayGeometry:
    """Return a parallel beam over `turn` with pixels of 1 mm and the z axis at column `axis`."""
    beta = np.arange(n_views) * (turn / n_views)
    zero, one = np.zeros(n_views), np.ones(n_views)
    u = np.stack([-np.sin(beta), np.cos(beta), zero], axis=1)
    away = 0 if axis is None else (n_cols - 1) / 2 - axis
    return XrayGeometry(
        beam="parallel",
        source_mm=np.stack([-np.cos(beta), -np.sin(beta), zero], axis=1),
        detector_mm=away * u,
        u_mm=u,
        v_mm=np.stack([zero, zero, one], axis=1),
        shape=(n_rows, n_cols),
    )


def integrals(views: XrayGeometry, discs=DISCS) -> np.ndarray:
    """Return (n_views, rows, cols) float32 line integrals of round rods along z."""
    n_rows, n_cols = views.shape
    total = np.zeros((views.n_views, n_cols))
    for x, y, radius, mu in discs:
        away = np.arange(n_cols) - views.project((x, y, 0.0))[:, :1]
        total += 2 * mu * np.sqrt(np.maximum(radius**2 - away**2, 0))
    return np.repeat(total[:, None], n_rows, axis=1).astype(np.float32)


def scan(values=None, kind="integrals", views=None, **more) -> Projections:
    """Return projections of the discs, or of given values."""
    views = views or geometry()
    given = {"flats": None, "darks": None, "bad_pixels": None, "info": {}, "notes": ()}
    return Projections(
        values=integrals(views) if values is None else values,
        geometry=views,
        kind=kind,
        pixel_mm_known=True,
        **(given | more),
    )


def fbp(projections: Projections, n=101, voxel_mm=1.0, z_mm=None) -> np.ndarray:
    """Return the (n, n) image of the middle row, or at z [1/mm]: ramp, linear interpolation."""
    n_views, n_rows, n_cols = projections.shape
    values = projections.values
    if z_mm is None:
        values = values[:, n_rows // 2 : n_rows // 2 + 1]
    lag = np.fft.fftfreq(4 * n_cols, 1 / (4 * n_cols)).astype(int)
    ramp = np.where(lag % 2, -1 / (np.pi * np.where(lag, lag, 1)) ** 2, 0.0)
    ramp[0] = 0.25
    waves = np.fft.fft(values.astype(float), 4 * n_cols) * np.fft.fft(ramp)
    filtered = np.fft.ifft(waves).real[..., :n_cols]
    at = (np.arange(n) - (n - 1) / 2) * voxel_mm
    x, y = np.meshgrid(at, at)
    points = np.stack([x, y, (z_mm or 0) + 0 * x], axis=-1)
    image = np.zeros((n, n))
    for start in range(0, n_views, VIEWS_AT_ONCE):
        part = slice(start, start + VIEWS_AT_ONCE)
        views = projections.geometry.select(part).project(points)
        for view, places in zip(filtered[part], views, strict=True):
            columns, rows = places[..., 0], places[..., 1]
            if z_mm is None:
                image += np.interp(columns, np.arange(n_cols), view[0], left=0, right=0)
            else:
                image += ndimage.map_coordinates(view, (rows, columns), order=1)
    return image * np.pi / n_views / projections.geometry.pixel_size_mm[0]
