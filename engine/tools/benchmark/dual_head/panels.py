"""Problem of the dual-head benchmarks: a scanner, its stored response, and the amount of work."""

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
"""Scanner of each system name."""
SUBSETS = {"full": 72, "demo": 8, "test": 4}
"""Subsets per iteration by system; for the paper's system those of the paper."""
SAMPLED = 2
"""Subsets of the full system that are measured by default."""


@dataclass(frozen=True)
class PanelWork:
    """Projection along all lines of a scanner, subset by subset.

    Attributes
    ----------
    response : stored matrix
    n_subsets : subsets per iteration
    n_sampled : measured subsets, from which an iteration is estimated
    """

    response: ResponseMatrix
    n_subsets: int
    n_sampled: int

    def __post_init__(self) -> None:
        s = self.scanner.settings
        # A subset takes whole families of orientations, so their number is limited
        most = s.n_rows * s.n_columns
        if not 1 <= self.n_sampled <= self.n_subsets <= most:
            raise SettingsError(
                f"--subsets is {self.n_sampled} and --of is {self.n_subsets}, expected 1 ≤ "
                f"--subsets ≤ --of ≤ {most} for {self.scanner.name}."
            )

    @property
    def scanner(self) -> DualHead:
        """Scanner of the response."""
        return self.response.scanner

    @property
    def n_lines(self) -> int:
        """Number of lines of response."""
        return self.scanner.orientations.n_pairs

    @cached_property
    def n_products(self) -> NDArray[np.int64]:
        """Products of all lines of each orientation, (n_orientations,): non-zeros in all planes."""
        response, n_planes = self.response, self.scanner.settings.n_planes
        n_stored = response.n_planes_stored
        # Planes are stored up to the symmetry plane, and all but the middle one count twice
        twice = np.where(n_planes - 1 - np.arange(n_stored) == np.arange(n_stored), 1, 2)
        n_nonzero = np.diff(response.starts).reshape(-1, n_stored) @ twice
        table = self.scanner.orientations
        return n_nonzero[turned_rows(response, table.offsets)[:, 0]] * table.n_shifts

    @property
    def n_products_in_all(self) -> int:
        """Number of products of an iteration in one direction."""
        return int(self.n_products.sum())

    def facts(self) -> Plain:
        """Return the problem as JSON values."""
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
    system: str, path: Path | None, *, threads: int, log: Callable[[str], None]
) -> ResponseMatrix:
    """Read the matrix of a system from a file or the cache, or compute it.

    Parameters
    ----------
    system
        key of `SYSTEMS`
    path
        response file; None for the cache
    threads
        CPU threads for computing it
    log
        called with a message before the computation

    Returns
    -------
    response
        matrix; several layers are merged into one

    Raises
    ------
    SettingsError
        if the system is not a dual-head scanner
    """
    scanner = read_scanner(SYSTEMS[system])
    if not isinstance(scanner, DualHead):
        raise SettingsError(
            f"{system}: {scanner.name} is not a dual-head scanner; choose another system."
        )
    if path is not None:
        return one_matrix(read_response(path, scanner))
    settings, folder = AnalyticResponse(), cache_dir() / "response"
    found = response_cache.find(folder, scanner, settings)
    if found is None:
        # It takes minutes, and is cached for the next run
        log(f"building the response of {scanner.name} ...")
        found = response_cache.build(folder, scanner, settings, threads=threads)
    return one_matrix(found)
