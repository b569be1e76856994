"""Normalisation components of a scanner.

    n_i = ε_1 ε_2 · l_1 l_2 · g(Δ, |t|) · m(p, |t|)

ε is the efficiency of each crystal, l the live fraction of its detector block, Δ the ring
difference of the line, |t| the distance of its tangential bin from the middle, and p the place in
its block of the crystal on the side of positive t. The geometry table g replaces the closed form of
`line_efficiency` or multiplies it. m is the crystal interference in a block. Scanners of modules
can have a table of module pairs instead (`engine.data.pair_table`), and other programs a table of
all lines (`engine.data.line_table`). After Casey, Gadagkar & Newport, Proc 3D Image Reconstruction
(1995) 67.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of
from engine.data.line_factors import LineFactor
from engine.geometry.ring import RingScanner

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.data.line_table import LineTable
    from engine.data.pair_table import PairTable
    from engine.geometry.scanner import Scanner


@dataclass(frozen=True, eq=False)
class Components:
    """Content of a normalisation file. Each part may be missing.

    Attributes
    ----------
    crystals : (n_crystals,) float32 ε, 0 in gaps and dead crystals
    geometry : (n_ring_differences, n_tangential // 2 + 1) float32 g, of rings
    replaces_geometry : True if g replaces the closed form; False if g multiplies it
    interference : (block_places, n_tangential // 2 + 1) float32 m, of rings
    live : (n_blocks,) float32 l
    pairs : table of module pairs, which replaces g and m
    lines : a value for each line, which replaces all other parts
    notes : notes of the reader, one sentence each

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.data.components import Components
    >>> ring = engine.RingScanner(engine.RingSettings(
    ...     name="Small ring", n_rings=4, n_crystals_per_ring=64, radius_mm=60, ring_pitch_mm=4,
    ...     max_ring_difference=3, n_tangential=40, fov_mm=(60, 16),
    ... ))
    >>> Components(geometry=np.ones(ring.n_classes, np.float32)).describe()
    'geometry of 4 × 21 classes of lines, 1 to 1, on top of the closed form'
    """

    crystals: NDArray[np.float32] | None = None
    geometry: NDArray[np.float32] | None = None
    replaces_geometry: bool = False
    interference: NDArray[np.float32] | None = None
    live: NDArray[np.float32] | None = None
    pairs: PairTable | None = None
    lines: LineTable | None = None
    notes: tuple[str, ...] = ()

    @property
    def has_tables(self) -> bool:
        """True if the efficiencies of lines are more than the product of their crystals."""
        tables = (self.geometry, self.interference, self.pairs, self.lines)
        return any(table is not None for table in tables)

    def of_crystals(self, scanner: Scanner) -> NDArray[np.float32] | None:
        """Return the factor ε l of each crystal.

        Parameters
        ----------
        scanner
            scanner with the block of each crystal

        Returns
        -------
        (n_crystals,) float32; None if the file has neither efficiencies nor live times
        """
        if self.live is None:
            return self.crystals
        # Dead time belongs to a block, because its crystals share the electronics.
        live = self.live[scanner.groups]
        return live if self.crystals is None else self.crystals * live

    def describe(self) -> str:
        """Return the parts with their ranges, in one line."""
        parts = []
        if self.crystals is not None:
            dead = int(np.count_nonzero(self.crystals <= 0))
            parts.append(f"{len(self.crystals):,} crystals, {dead:,} of them dead or in gaps")
        return "; ".join([*parts, *self.describe_tables()])

    def describe_tables(self) -> list[str]:
        """Return a phrase for each part other than the crystal efficiencies."""
        parts = []
        if self.geometry is not None:
            how = "instead" if self.replaces_geometry else "on top"
            rows, columns = self.geometry.shape
            size = f"{rows} × {columns} classes of lines"
            parts.append(f"geometry of {size}, {_span(self.geometry)}, {how} of the closed form")
        if self.interference is not None:
            places = len(self.interference)
            parts.append(f"interference of {places} places, {_span(self.interference)}")
        if self.live is not None:
            parts.append(f"live time of {len(self.live):,} blocks, {_span(self.live)}")
        if self.pairs is not None:
            parts.append(self.pairs.describe())
        if self.lines is not None:
            parts.append(self.lines.describe())
        return parts


def _span(values: Array) -> str:
    return f"{values.min():.3g} to {values.max():.3g}"


@dataclass(frozen=True, eq=False)
class TableFactor(LineFactor):
    """g(Δ, |t|) · m(p, |t|) of a ring.

    Attributes
    ----------
    geometry, interference : as in `Components`; None counts as 1
    replaces_geometry : True if the closed form of the geometry must not be applied as well
    """

    geometry: Array | None
    interference: Array | None
    replaces_geometry: bool = False

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        xp = module_of(crystals)
        factor = xp.ones(len(crystals), np.float32)
        if not isinstance(
            scanner, RingScanner
        ):  # no file format has such tables for other scanners
            return factor
        # A few thousand classes instead of 10⁹ lines.
        difference, off, place = scanner.line_classes(crystals)
        if self.geometry is not None:
            factor = factor * xp.asarray(self.geometry)[difference, off]
        if self.interference is not None:
            factor = factor * xp.asarray(self.interference)[place, off]
        return factor

    def fingerprint(self) -> Iterator[bytes]:
        for table in (self.geometry, self.interference):
            # The shape belongs to the key: tables with equal bytes and another shape are different
            # factors.
            yield b"" if table is None else repr(table.shape).encode() + table.tobytes()

    @property
    def is_even(self) -> bool:
        # g depends on |t| and Δ, so it is symmetric; m depends on one of the two crystals and is
        # not.
        return self.interference is None

    def on_device(self, on: Backend) -> Self:
        tables = [
            None if t is None else on.to_device(t) for t in (self.geometry, self.interference)
        ]
        return replace(self, geometry=tables[0], interference=tables[1])
