"""Response matrices of panels with several crystal layers, one for each pair of layers.

Mirroring at the midplane turns the response h of layers (i, k) into that of (k, i), an orientation
(a, b) into its opposite and plane p into plane P − 1 − p. The response of equal layers is therefore
stored like that of panels with one layer, with half of its planes. For i < k all P planes are
stored; they are half of the planes of panels with 2 P planes of half the thickness. For k > i
nothing is stored. With V the matrix of such panels, and the image in its first or its last P
planes,

    A_ik x = V [x; 0],    A_ki x = V [0; x].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.data.histogram import one_layer, with_settings
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead

Layers = tuple[int, int]
"""Numbers of two crystal layers, on panel 0 and on panel 1."""


def stored_pairs(n_layers: int) -> tuple[Layers, ...]:
    """Return the pairs of layers with a stored response: (i, k), i ≤ k."""
    return tuple((i, k) for i in range(n_layers) for k in range(i, n_layers))


def scanner_of_pair(scanner: DualHead, first: int, second: int) -> DualHead:
    """Return the panels with one layer whose matrix stores the response of a pair of layers.

    Parameters
    ----------
    scanner
        panels with several layers
    first
        layer on panel 0
    second
        layer on panel 1

    Returns
    -------
    for different layers, panels with twice as many planes of half the thickness

    Raises
    ------
    GeometryError
        if the doubled number of planes exceeds the limit
    """
    front, s = one_layer(scanner), scanner.settings
    if first == second:
        return front
    # The limit of the scanner settings would otherwise fail with a message about another scanner.
    if s.n_planes > MAX_PLANES:
        raise GeometryError(
            f"{scanner.name}: there are {s.n_planes} image planes between panels of {s.n_layers} "
            f"layers, expected at most {MAX_PLANES} planes; use thicker planes, or combine the "
            "layers."
        )
    return with_settings(front, n_planes=2 * s.n_planes, plane_mm=s.plane_mm / 2)


MAX_PLANES = 500
"""Maximum planes of an image between panels with several layers; the matrix has twice as many."""


@dataclass(frozen=True)
class LayeredResponse:
    """The response of each pair of layers of crystals.

    Attributes
    ----------
    scanner : two panels with several layers; its grid is that of the image
    matrices : matrices of each stored pair of layers, of the scanner `scanner_of_pair`
    info : origin of the matrices
    notes : notes of the reader, one sentence each
    """

    scanner: DualHead
    matrices: Mapping[Layers, ResponseMatrix]
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Checked once here: all users index `matrices` without further tests.
        pairs = stored_pairs(self.scanner.settings.n_layers)
        if tuple(sorted(self.matrices)) != pairs:
            raise GeometryError(
                f"response matrix of {self.scanner.name!r}: the file has the layers "
                f"{sorted(self.matrices)}, expected {list(pairs)}; compute the matrix "
                "again."
            )
        for layers, matrix in self.matrices.items():
            wanted = scanner_of_pair(self.scanner, *layers)
            if matrix.scanner.settings != wanted.settings:
                raise GeometryError(
                    f"response matrix of {self.scanner.name!r}: the matrix of layers {layers} "
                    f"belongs to other panels (matrix: {matrix.scanner.describe()}; expected: "
                    f"{wanted.describe()}); compute it again."
                )

    @property
    def orientations(self) -> NDArray[np.int32]:
        """Stored orientations (a, b) of each pair of layers, (n, 2)."""
        # All pairs of layers have the same rows and columns, so any matrix has them.
        return self.matrices[0, 0].orientations

    @property
    def knows_scatter(self) -> bool:
        """True if the response includes scatter in crystals and the energy window."""
        return all(matrix.knows_scatter for matrix in self.matrices.values())

    @property
    def n_nonzero(self) -> int:
        """Number of stored non-zeros."""
        return sum(matrix.n_nonzero for matrix in self.matrices.values())

    @property
    def n_bytes(self) -> int:
        """Memory of the stored arrays."""
        return sum(matrix.n_bytes for matrix in self.matrices.values())

    @cached_property
    def dropped(self) -> NDArray[np.float32]:
        """Share of each row's sum that was too small to be stored, by pair of layers."""
        return np.concatenate([self.matrices[pair].dropped for pair in sorted(self.matrices)])

    @cached_property
    def errors(self) -> NDArray[np.float32]:
        """Estimated relative error of each row, by pair of layers."""
        return np.concatenate([self.matrices[pair].errors for pair in sorted(self.matrices)])


StoredResponse = ResponseMatrix | LayeredResponse
"""Response of panels with one layer, or of each pair of layers."""


def one_matrix(response: StoredResponse) -> ResponseMatrix:
    """Return the response of panels with one layer; for several layers that of the front layers."""
    return response.matrices[0, 0] if isinstance(response, LayeredResponse) else response
