"""What dual-head benchmarks work on: a scanner, its stored response, and how much work it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.core.paths import cache_dir
from engine.data.layered_response import one_matrix
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.io import read_scanner
from engine.io.hdf5.response import read_response
from engine.modalities.dual_head_pet import response_cache
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.operators.matrix.rows import turned_rows

SYSTEMS = {"full": "dhapet", "demo": "demo-panels", "test": "test-panels"}
"""What a benchmark calls a system, and its scanner."""
SUBSETS = {"full": 72, "demo": 8, "test": 4}
"""Subsets of an iteration by system; for its own system those of the paper."""
SAMPLED = 2
"""Subsets of the full system that are measured unless more are asked for."""


@dataclass(frozen=True)
class PanelWork:
    """Projection along all lines of a scanner, subset by subset.

    Attributes
    ----------
    response : the stored matrix
    n_subsets : of an iteration
    n_sampled : subsets that are measured; an iteration is estimated from them
    """

    response: ResponseMatrix
    n_subsets: int
    n_sampled: int

    def __post_init__(self) -> None:
        s = self.scanner.settings
        most = s.n_rows * s.n_columns
        if not 1 <= self.n_sampled <= self.n_subsets <= most:
            raise SettingsError(
                f"--subsets {self.n_sampled} of {self.n_subsets}: want 1 or more of at most {most} "
                f"on {self.scanner.name}."
            )

    @property
    def scanner(self) -> DualHead:
        """Whose response it is."""
        return self.response.scanner

    @property
    def n_lines(self) -> int:
        """Lines of response."""
        return self.scanner.orientations.n_pairs

    @cached_property
    def n_products(self) -> NDArray[np.int64]:
        """(n_orientations,) products of all lines of each: their non-zeros in all planes."""
        response, n_planes = self.response, self.scanner.settings.n_planes
        n_stored = response.n_planes_stored
        twice = np.where(n_planes - 1 - np.arange(n_stored) == np.arange(n_stored), 1, 2)
        n_nonzero = np.diff(response.starts).reshape(-1, n_stored) @ twice
        table = self.scanner.orientations
        return n_nonzero[turned_rows(response, table.offsets)[:, 0]] * table.n_shifts

    @property
    def n_products_in_all(self) -> int:
        """Products of an iteration, one way."""
        return int(self.n_products.sum())

    def facts(self) -> Plain:
        """Return the work in plain values."""
        s = self.scanner.settings
        return {
            "scanner": self.scanner.name,
            "crystals": [s.n_rows, s.n_columns],
            "voxels": list(self.scanner.grid.shape),
            "n_lines": self.n_lines,
            "n_nonzero": self.response.n_nonzero,
            "response_bytes": self.response.n_bytes,
            "n_products": self.n_products_in_all,
            "n_subsets": self.n_subsets,
            "n_sampled": self.n_sampled,
        }


def response_of(
    system: str, path: Path | None, *, threads: int, say: Callable[[str], None]
) -> ResponseMatrix:
    """Read the matrix of a system from a file or the cache, or build it."""
    scanner = read_scanner(SYSTEMS[system])
    if not isinstance(scanner, DualHead):
        raise SettingsError(f"{system}: {scanner.name} is no dual-head scanner.")
    if path is not None:
        return one_matrix(read_response(path, scanner))
    settings, folder = AnalyticResponse(), cache_dir() / "response"
    found = response_cache.find(folder, scanner, settings)
    if found is None:
        say(f"building the response of {scanner.name} ...")
        found = response_cache.build(folder, scanner, settings, threads=threads)
    return one_matrix(found)
