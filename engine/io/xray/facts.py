"""Facts of projections for a report."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import finite_range
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry

Facts = tuple[tuple[str, str], ...]
KINDS = {
    "counts": "counts",
    "transmission": "transmission (1 = open beam)",
    "integrals": "line integrals, −ln(I/I0)",
}


def facts_of(data: Projections) -> Facts:
    """Return size, beam, orbit, pixels and reference images of projections.

    Parameters
    ----------
    data
        projections of any kind

    Returns
    -------
    facts
        (label, text) of each
    """
    n, rows, columns = data.shape
    g = data.geometry
    low, high = finite_range(data.values)
    width, height = g.pixel_size_mm
    facts = [
        ("Views", f"{n:,}"),
        ("Detector", f"{rows:,} rows × {columns:,} columns"),
        ("Pixel", f"{width:g} × {height:g} mm" if data.pixel_mm_known else "size unknown"),
        ("Values", f"{KINDS[data.kind]}, {low:g} to {high:g}"),
        ("Beam", _beam(g)),
        ("Angles", f"{span_deg(g):.4g}°" + (", circular orbit" if g.is_circular else "")),
    ]
    if data.kind == "counts":
        counts = [0 if a is None else len(a) for a in (data.flats, data.darks)]
        facts.append(("Flat and dark images", f"{counts[0]} and {counts[1]}"))
    if data.bad_pixels is not None:
        facts.append(("Bad pixels", f"{int(data.bad_pixels.sum()):,}"))
    return tuple(facts)


def title_of(data: Projections) -> str:
    """Return a title of a scan in one line, such as "cone-beam CT, 720 views of 512 × 512"."""
    n, rows, columns = data.shape
    # Our geometry has no fan beam: it is a cone beam with one row.
    beam = "fan" if rows == 1 and data.geometry.beam == "cone" else data.geometry.beam
    return f"{beam}-beam CT, {n:,} views of {rows:,} × {columns:,}"


def span_deg(g: XrayGeometry) -> float:
    """Return the angular range of a scan.

    Parameters
    ----------
    g
        geometry with views in any order

    Returns
    -------
    span
        from the first view to one step after the last [°]; for unordered views the covered range
    """
    if g.n_views < 2:
        return 0.0
    turned = np.unwrap(g.angles_rad)
    steps = np.diff(turned)
    if (steps >= 0).all() or (steps <= 0).all():
        span = abs(turned[-1] - turned[0])
        return float(np.rad2deg(span * g.n_views / (g.n_views - 1)))
    # Unordered views: the largest gap is not covered, and one typical step belongs to the last
    # view.
    ordered = np.unique(g.angles_rad)
    gaps = np.diff(ordered, append=ordered[0] + 2 * np.pi)
    covered = 2 * np.pi - float(gaps.max()) + float(np.median(gaps))
    return float(np.rad2deg(min(covered, 2 * np.pi)))


def _beam(g: XrayGeometry) -> str:
    if g.beam == "parallel":
        return "parallel"
    axis, detector = (float(np.median(a)) for a in (g.source_axis_mm, g.source_detector_mm))
    shape = "fan" if g.shape[0] == 1 else "cone"
    return f"{shape}, source to axis {axis:g} mm, source to detector {detector:g} mm"
