"""Small dual-head PET work that can be counted: part of one row of the DHAPET system."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import cuda
from engine.core.profiling import Profiler
from engine.kernels.matrix.device_matrix import N_COLUMNS, N_ROWS, TURN, Matrix
from engine.kernels.matrix.groups import GroupedRows, grouped_rows
from engine.kernels.matrix.variants import MatrixVariant, PanelShape
from tests.emulator.gpu import EmulatedGpu

PRODUCTS = "32 products"
PANEL = PanelShape(rows=104, columns=72, planes=2, edge=4, margin=0)
"""The DHAPET panels with the counted plane and its mirror image only."""
ORIENTATION = (50, 24)
"""Differences of rows and columns, in the middle of all products of an iteration."""
PLANE = Path(__file__).with_name("dhapet_plane.json")
"""Plane 20 of that row of `AnalyticResponse()`, on the second of four rows of voxels."""
TURNS = (0, 7)
"""The original orientation, and rows and columns interchanged with both mirrored."""


def panels(gpu: EmulatedGpu, *, is_idle: bool = False) -> dict[str, float]:
    """Project forward and back along the orientations of the row; with `is_idle`, an empty row."""
    rows = _row(is_idle=is_idle)
    kernels = Matrix(gpu, MatrixVariant(), PANEL, Profiler(cuda(gpu)))
    n_nonzero = int(np.count_nonzero(rows.values))
    stored = kernels.stored(rows)
    there = GroupedRows(*(gpu.upload(array) for array in stored.arrays))
    table = _table()
    n_lines = table[:, N_ROWS].astype(np.int64) * table[:, N_COLUMNS]
    images = tuple(gpu.upload(_image(kernels, turned=turned)) for turned in (False, True))
    values = gpu.upload(np.ones(int(n_lines.sum()), np.float32))
    image = gpu.upload(np.zeros((4 * PANEL.rows, PANEL.planes, 4 * PANEL.columns), np.float32))
    each = np.full(len(table), n_nonzero)
    for _ in kernels.forward(table, each, there, images, values):
        pass
    for _ in kernels.back(table, each, there, values, image):
        pass
    units = {}
    for turned, after in ((False, ""), (True, "_turned")):
        # each non-zero serves the plane and its mirror image
        n_products = 2 * n_nonzero * int(n_lines[table[:, TURN] % 2 == turned].sum())
        units |= {f"{name}{after}": n_products / 32 for name in ("forward", "back")}
    return units


def _row(*, is_idle: bool) -> GroupedRows:
    """Return the non-zeros of one plane on some rows of voxels; their values do not matter."""
    found = json.loads(PLANE.read_text(encoding="utf-8"))
    places = np.array([] if is_idle else found["places"], np.int64)
    starts = np.array([[0, len(places)]])
    return grouped_rows(
        starts, np.array(found["window"]).reshape(1, 1, 4), places,
        np.ones(len(places), np.float16), np.ones(1, np.float32), PANEL,
    )  # fmt: skip


def _table() -> NDArray[np.int32]:
    rows, start = [], 0
    for turn in TURNS:
        a, b = ORIENTATION if turn % 2 == 0 else ORIENTATION[::-1]
        n_rows, n_columns = PANEL.rows - a, PANEL.columns - b
        rows.append([0, turn, a, b, n_rows, n_columns, start, 0])
        start += n_rows * n_columns
    return np.array(rows, np.int32)


def _image(kernels: Matrix, *, turned: bool) -> NDArray[np.float32]:
    plane = PANEL.edge**2 * PANEL.rows * PANEL.columns + kernels.n_beyond(turned=turned)
    return np.ones(kernels.n_before(turned=turned) + PANEL.planes * plane, np.float32)
