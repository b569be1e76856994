"""Read facts of a CTSimU scenario other than geometry: bad pixels and ignored settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.io.folder import is_file, open_adjacent, path_next_to
from engine.io.xray.ctsimu.parts import section
from engine.io.xray.ctsimu.values import (
    ANGLE_RAD,
    CURRENT_UA,
    ORDERS,
    PURE,
    TIME_MS,
    TYPES,
    VOLTAGE_KV,
    Quantities,
)
from engine.io.xray.frames import listed
from engine.io.xray.tiff import is_tiff, tiff_of

UNUSED = (
    *(("source", name) for name in ("spot", "spectrum", "window", "filters", "target")),
    *(("detector", name) for name in ("noise", "unsharpness", "image_lag", "scintillator")),
    *(("detector", "filters"), ("acquisition", "scattering"), ("environment", "material_id")),
    *(("samples",), ("materials",), ("simulation",)),
)
"""Settings of the simulation that the reconstruction does not need."""
CURVES = "intensity_characteristics_file", "efficiency_characteristics_file"
WORKS = -1
"""Value of a good pixel in the bad pixel map."""


def notes_of(path: Path, content: Plain, q: Quantities) -> list[str]:
    """Return notes about ignored and assumed settings.

    Parameters
    ----------
    path
        scenario, for its name
    content
        its JSON
    q
        converter; its `hidden` and `assumed` must be complete, so the geometry is read before

    Returns
    -------
    notes
        one sentence each
    """
    unused = [
        " ".join(reversed(names)).replace("_", " ") for names in UNUSED if _stated(content, names)
    ]
    grey = section(content, "detector", "gray_value")
    curves = [str(curve) for name in CURVES if (curve := section(grey, name).get("value"))]
    divergence = section(content, "geometry", "source", "beam_divergence")
    parallel = section(content, "geometry", "source").get("type") == "parallel"
    # A cone beam ignores the divergence, so only that of a parallel beam matters.
    spread = parallel and any(
        q.optional(divergence.get(axis), ANGLE_RAD, f"geometry.source.beam_divergence.{axis}")
        for axis in "uv"
    )
    moving = section(content, "acquisition").get("scan_mode") == "continuous"
    sentences = (
        (unused, "these settings are not used in the reconstruction: {}"),
        (q.hidden, "ignored, because the scenario hides it from the reconstruction: {}"),
        (q.assumed, "no unit is stated and mm is assumed for {}"),
        (curves, "the grey values follow {}, which is not corrected"),
    )
    notes = [
        f"{path.name}: {sentence.format(listed(what))}." for what, sentence in sentences if what
    ]
    if spread:
        notes.append(f"{path.name}: the beam divergence is ignored; parallel rays are used.")
    if moving:
        notes.append(
            f"{path.name}: the stage moved during each view; its position at the start of the view "
            "is used."
        )
    return notes


def facts_of(content: Plain, q: Quantities) -> Plain:
    """Return voltage, current and exposure, if they are stated."""
    source, detector = section(content, "source"), section(content, "detector")
    facts = {
        "voltage_kv": q.fact(source.get("voltage"), VOLTAGE_KV, "source.voltage"),
        "current_ua": q.fact(source.get("current"), CURRENT_UA, "source.current"),
        "exposure_ms": q.fact(
            detector.get("integration_time"), TIME_MS, "detector.integration_time"
        ),
    }
    return {name: fact for name, fact in facts.items() if fact}


def bad_pixels(
    path: Path,
    content: Plain,
    metadata: tuple[Path, Plain] | None,
    shape: tuple[int, int],
    q: Quantities,
    notes: list[str],
) -> NDArray[np.bool_] | None:
    """Return the pixels marked by the map of the scenario.

    Parameters
    ----------
    path
        scenario file
    content
        its JSON
    metadata
        metadata file and its JSON; None if there is none
    shape
        rows and columns of the projections
    q
        converter of the scenario
    notes
        notes of the scan; a map that cannot be used adds one

    Returns
    -------
    bad_pixels
        (rows, columns), True for bad pixels; None if there is no usable map
    """
    stated = section(content, "detector", "bad_pixel_map")
    name = _map_name(content)
    if name is None:
        return None
    if metadata and _is_mended(metadata[1]):
        notes.append(f"{path.name}: bad pixels in the projections are already corrected.")
        return None
    try:
        values = _map(path, name, stated, shape, q)
    # The scan can be reconstructed without the map, so this is only a note.
    except EngineError as e:
        notes.append(f"{path.name}: the bad pixel map is ignored: {e}")
        return None
    return np.asarray(values != WORKS)


def bad_pixel_map(path: Path, content: Plain) -> Iterator[Path]:
    """Yield the bad pixel map that a scenario names, if it is in the same folder."""
    name = _map_name(content)
    if name is not None and is_file(path_next_to(path, name)):
        yield path_next_to(path, name)


def _map_name(content: Plain) -> str | None:
    stated = section(content, "detector", "bad_pixel_map")
    # Different versions of the toolbox write the file name at different places.
    name = section(stated, "file").get("value") or stated.get("file") or stated.get("value")
    return name if isinstance(name, str) and name else None


def _map(
    path: Path, name: str, stated: Plain, shape: tuple[int, int], q: Quantities
) -> NDArray[np.generic]:
    with open_adjacent(path, name) as file:
        # Maps are TIFF or raw; only raw ones need the storage stated in the scenario.
        if is_tiff(file.head):
            values = np.asarray(tiff_of(file))
        else:
            kind, order = stated.get("type"), stated.get("endian") or "little"
            if kind not in TYPES or order not in ORDERS:
                raise FileFormatError(
                    f"{name}: the scenario has no valid `type` or `endian` for this bad-pixel "
                    "map; correct the scenario."
                )
            dtype = np.dtype(str(kind)).newbyteorder(ORDERS[str(order)])
            start = q.optional(stated.get("headersize"), PURE, "headersize") or 0
            values = file.array(dtype, shape, min(max(int(start), 0), file.size))
    # A map for unbinned pixels cannot be applied to binned ones.
    if values.shape != shape:
        raise FileFormatError(
            f"{name}: the bad-pixel map has {' x '.join(map(str, values.shape))} pixels, but the "
            f"projections have {shape[0]} x {shape[1]} (rows x columns); use the map for this "
            "binning."
        )
    return values


def _is_mended(metadata: Plain) -> bool:
    stated = section(metadata, "output", "projections", "bad_pixel_map")
    return stated.get("projections_corrected") is True


def _stated(content: Plain, names: tuple[str, ...]) -> bool:
    found = section(content, *names[:-1]).get(names[-1])
    # Scenarios list unused settings with empty values.
    if isinstance(found, dict):
        return any(each not in (None, [], {}, False) for each in found.values())
    return bool(found)
