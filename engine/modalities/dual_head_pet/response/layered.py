"""Build the response of each pair of crystal layers (`engine.data.layered_response`)."""

from __future__ import annotations

import time
from pathlib import Path

from engine.data.layered_response import (
    LayeredResponse,
    StoredResponse,
    scanner_of_pair,
    stored_pairs,
)
from engine.geometry.dual_head import DualHead
from engine.io.hdf5.response import write_response
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse, ResponseRows
from engine.modalities.dual_head_pet.response.building import (
    OnProgress,
    build_analytic,
    info_of,
    make_rows,
)
from engine.modalities.dual_head_pet.response.identity import plan_of
from engine.modalities.dual_head_pet.response.packing import matrix_of
from engine.modalities.dual_head_pet.response.parts import ResponseParts


def build_response(
    scanner: DualHead,
    settings: AnalyticResponse,
    path: Path | None = None,
    *,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> StoredResponse:
    """Integrate the response of panels with any number of layers; see `build_analytic`.

    Parameters
    ----------
    scanner
        panels with their image
    settings
        number of points, threshold
    path
        file to write; None writes nothing
    threads
        number of threads; None for all cores
    on_progress
        called with the number of parts done and in total; may raise to stop
    """
    build = build_analytic if scanner.settings.n_layers == 1 else build_layered
    return build(scanner, settings, path, threads=threads, on_progress=on_progress)


def build_layered(
    scanner: DualHead,
    settings: AnalyticResponse,
    path: Path | None = None,
    *,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> LayeredResponse:
    """Integrate the response of each pair of layers and write it; see `build_analytic`.

    Examples
    --------
    >>> import engine
    >>> from engine.data.histogram import with_settings
    >>> from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
    >>> two = with_settings(engine.read_scanner("test-panels"), n_layers=2)
    >>> sorted(build_layered(two, AnalyticResponse(n_points=256), threads=1).matrices)
    [(0, 0), (0, 1), (1, 1)]
    """
    started, pairs = time.perf_counter(), stored_pairs(scanner.settings.n_layers)
    parts = None if path is None else ResponseParts(path, plan_of(scanner, settings))
    # One maker per pair: unequal layers have other depths and other planes.
    makers = [ResponseRows(scanner, settings, pair) for pair in pairs]
    made = make_rows(scanner, makers, parts, threads=threads, on_progress=on_progress)
    info = info_of(settings, time.perf_counter() - started)
    matrices = {
        pair: matrix_of(scanner_of_pair(scanner, *pair), rows, info)
        for pair, rows in zip(pairs, made, strict=True)
    }
    response = LayeredResponse(scanner, matrices, info)
    # Parts are removed only after the whole response is on the disk.
    if path is not None and parts is not None:
        write_response(response, path)
        parts.remove()
    return response
