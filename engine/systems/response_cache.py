"""Response matrices kept on disk, found again by their scanner and settings.

A build that was interrupted goes on where it stopped: its parts lie beside the matrix to be.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from engine.data.response import ResponseMatrix
from engine.errors import FileFormatError, GeometryError, ResourceError
from engine.geometry.dual_head import DualHead
from engine.io.response_hdf5 import read_response
from engine.response.building import build_analytic
from engine.response.plan import path_of
from engine.response.settings import AnalyticResponse

MOST_BYTES = 6 * 2**30
"""Of all kept matrices; the oldest are dropped beyond."""

Tick = Callable[[int, int], None]

log = logging.getLogger(__name__)


def find(folder: Path, scanner: DualHead, settings: AnalyticResponse) -> ResponseMatrix | None:
    """Return the kept matrix, None if there is none or it does not read back."""
    path = path_of(folder, scanner, settings)
    if not path.exists():
        return None
    try:
        return read_response(path, scanner)
    except (FileFormatError, GeometryError) as e:
        log.warning("response cache: %s is made anew (%s)", path.name, e)
        path.unlink(missing_ok=True)
        return None


def build(
    folder: Path,
    scanner: DualHead,
    settings: AnalyticResponse,
    *,
    threads: int,
    tick: Tick | None = None,
) -> ResponseMatrix:
    """Compute a matrix, or what an interrupted build left of it, and keep it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _trim(folder)
    except OSError as e:
        raise ResourceError(
            f"{folder}: cannot be used ({e.strerror or e}); make the response with `isocenter "
            "response build` and name its file."
        ) from e
    path = path_of(folder, scanner, settings)
    return build_analytic(scanner, settings, path, threads=threads, tick=tick)


def _trim(folder: Path) -> None:
    """Drop the oldest matrices beyond the size the cache may have."""
    n_bytes = 0
    for path in sorted(folder.glob("*.h5"), key=lambda p: p.stat().st_mtime, reverse=True):
        n_bytes += path.stat().st_size
        if n_bytes > MOST_BYTES:
            path.unlink(missing_ok=True)
