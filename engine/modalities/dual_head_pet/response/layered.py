"""Building the response of each pair of layers of crystals (`engine.data.layered_response`)."""

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
from engine.geometry.dual_head_symmetry import stored_orientations
from engine.io.response_hdf5 import write_response
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse, ResponseRows
from engine.modalities.dual_head_pet.response.building import (
    ROWS_PER_PART,
    OnProgress,
    build_analytic,
    info_of,
    make_parts,
)
from engine.modalities.dual_head_pet.response.identity import plan_of
from engine.modalities.dual_head_pet.response.packing import PackedRows, matrix_of
from engine.modalities.dual_head_pet.response.parts import Arrays, ResponseParts


def build_response(
    scanner: DualHead,
    settings: AnalyticResponse,
    path: Path | None = None,
    *,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> StoredResponse:
    """Integrate the response of panels of any number of layers; see `build_analytic`."""
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
    started, s = time.perf_counter(), scanner.settings
    orientations, pairs = stored_orientations(s.n_rows, s.n_columns), stored_pairs(s.n_layers)
    rows = {pair: ResponseRows(scanner, settings, pair) for pair in pairs}
    n_parts = -(-len(orientations) // ROWS_PER_PART)

    def make(i: int) -> Arrays:
        pair, part = divmod(i, n_parts)
        some = orientations[part * ROWS_PER_PART : (part + 1) * ROWS_PER_PART]
        maker = rows[pairs[pair]]
        return dict(vars(PackedRows.joined([maker.row(int(a), int(b)) for a, b in some])))

    parts = None if path is None else ResponseParts(path, plan_of(scanner, settings))
    made = make_parts(make, n_parts * len(pairs), parts, threads=threads, on_progress=on_progress)
    info = info_of(settings, time.perf_counter() - started)
    matrices = {}
    for i, pair in enumerate(pairs):
        some = made[i * n_parts : (i + 1) * n_parts]
        joined = PackedRows.joined([PackedRows(**arrays) for arrays in some])
        matrices[pair] = matrix_of(scanner_of_pair(scanner, *pair), joined, info)
        made[i * n_parts : (i + 1) * n_parts] = [{}] * n_parts  # not twice in memory
    response = LayeredResponse(scanner, matrices, info)
    if path is not None and parts is not None:
        write_response(response, path)
        parts.remove()
    return response
