"""Projection with the response of two different crystal layers, i < k, and of (k, i).

V is the stored matrix of i < k, for panels with twice as many planes as the image
(`engine.data.layered_response`):

    A_ik x = V [x; 0],    A_ki x = V [0; x]

The CPU omits the empty half. It processes stored planes one by one, each as the middle plane of an
image of that plane alone, which is its own mirror image. For (k, i), plane p is plane P − 1 − p of
the image, seen from the other panel with mirrored rows and columns. A GPU projects both halves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from engine.core.arrays import Array, to_host
from engine.data.response import ResponseMatrix
from engine.kernels.matrix.codes import ACROSS
from engine.kernels.matrix.decode import GroupLimits
from engine.operators.base import Definition
from engine.operators.matrix.layout import LineByLine, MatrixLayout
from engine.operators.matrix.projector import MatrixProjector, Piece
from engine.operators.matrix.rows import StoredRows


class LayerPairProjector(MatrixProjector):
    """Rows of some orientations of two different layers.

    Parameters
    ----------
    response : stored rows for panels with twice as many planes as the image
    settings : as for `MatrixProjector`
    """

    def __init__(self, response: ResponseMatrix, **settings: Any) -> None:
        super().__init__(response, **settings)
        n_z, n_planes, n_x = self.in_shape
        self._whole_shape, self._is_exchanged = self.in_shape, False
        # The stored matrix has twice as many planes as the image.
        self.in_shape = n_z, n_planes // 2, n_x
        self.phases = replace(self.phases, n_planes=n_planes // 2)
        self._layout = self._make_layout()

    def __reduce__(self) -> Definition:
        create, arguments = super().__reduce__()
        return (_exchanged, (create, arguments)) if self._is_exchanged else (create, arguments)

    def exchanged(self) -> LayerPairProjector:
        """Return the projector of the exchanged layers."""
        # A shallow copy shares the rows, which are the largest part.
        other = copy(self)
        other._is_exchanged = not self._is_exchanged
        return other

    def forward(self, x: Array) -> Array:
        if self._stored is None:
            return super().forward(x)
        # GPU kernels always process both planes that a stored one represents
        whole = np.zeros(self._whole_shape, self.dtype)
        whole[:, self._half] = to_host(x)
        return super().forward(whole)

    def adjoint(self, y: Array) -> Array:
        found = super().adjoint(y)
        return found if self._stored is None else found[:, self._half]

    @property
    def _half(self) -> slice:
        """Planes of V that belong to the image."""
        n_planes = self.in_shape[1]
        return slice(n_planes, None) if self._is_exchanged else slice(n_planes)

    def _make_layout(self) -> MatrixLayout:
        """Use the layout by lines: planes are processed one by one, without mirror images."""
        return LineByLine(self.phases, self.offsets)

    def _rows(self, limits: GroupLimits) -> Iterator[tuple[int, StoredRows]]:
        for first, rows in super()._rows(limits):
            if not self._is_exchanged:
                yield first, rows
                continue
            # seen from the other panel, a line of layers (k, i) is one of (i, k)
            chosen = rows.chosen.copy()
            chosen[:, 1] ^= ACROSS
            yield first, replace(rows, chosen=chosen)

    def _pieces(self, rows: StoredRows, image: Array, start: int, stop: int) -> Iterator[Piece]:
        """Yield stored planes one by one, each with its plane of the image."""
        for stored in range(start, stop):
            plane = len(image) - 1 - stored if self._is_exchanged else stored
            # kernels are compiled for arrays without gaps
            starts = np.ascontiguousarray(rows.starts[:, stored : stored + 2])
            rest = rows.codes, rows.weights, rows.groups
            arrays = rows.chosen, rows.shapes, starts, *rest
            yield arrays, image[plane : plane + 1], 0, 1


def _exchanged(
    create: Callable[..., LayerPairProjector], arguments: tuple[Any, ...]
) -> LayerPairProjector:
    return create(*arguments).exchanged()
