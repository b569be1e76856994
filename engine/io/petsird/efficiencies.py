"""Efficiencies in a PETSIRD header: detection bins and module pairs.

n = ε_1 ε_2 T for a pair of detection bins; the factor of a line is its sum over the energies of
both photons. Crystals get ε = Σ_i ε_i, and pairs get the rest (`engine.data.pair_table`). The
calibration factor is equal for all lines, so it is only stored as a fact.

The mean of the live times weights the lines, their changes the time frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError
from engine.data.pair_table import PairTable
from engine.data.timing.live_time import LiveTimes
from engine.io.petsird.blocks import Blocks
from engine.io.petsird.geometry import Geometry, Group, Modules, Tree

Lists: TypeAlias = Sequence[Sequence[Sequence[Tree]]]
OfBins = list[NDArray[np.float32]]
"""One value for each detection bin, by module type: (n_crystals, n_energies)."""


def bin_efficiencies(found: Tree, geometry: Geometry, path: Path) -> list[NDArray[np.float32]]:
    """Return the efficiencies of detection bins.

    Parameters
    ----------
    found
        `detectionEfficiencies` of the header
    geometry
        scanner of the header
    path
        file, for messages

    Returns
    -------
    efficiencies
        (n_crystals, n_energies) for each module type
    """
    listed = found["detectionBinEfficiencies"]
    return of_bins(listed, geometry, path, "detectionBinEfficiencies")


def of_bins(
    listed: Sequence[Array], geometry: Geometry, path: Path, field: str
) -> list[NDArray[np.float32]]:
    """Return one value for each detection bin.

    Parameters
    ----------
    listed
        values by module type, as in the file
    geometry
        scanner of the header
    path
        file, for messages
    field
        name of the field in the file, for messages

    Returns
    -------
    values
        (n_crystals, n_energies) for each module type; 1 if not stated

    Raises
    ------
    FileFormatError
        if the number of values is wrong
    DataError
        if values are negative or not finite
    """
    values = []
    for number, one in enumerate(geometry.types):
        given = np.asarray(listed[number] if number < len(listed) else (), np.float32)
        if not given.size:
            given = np.ones(one.n_bins, np.float32)
        if given.size != one.n_bins:
            raise FileFormatError(
                f"{path.name}: the size of {field!r} for module type {number} is {given.size:,}, "
                f"expected {one.n_bins:,} (one value per detection bin); write the file again."
            )
        if not np.isfinite(given).all() or (given < 0).any():
            raise DataError(
                f"{path.name}: {field!r} of module type {number} contains values that are negative "
                "or NaN, expected at least 0; write the file again."
            )
        values.append(given.reshape(one.n_crystals, one.n_energies))
    return values


def crystal_efficiencies(bins: Sequence[Array]) -> NDArray[np.float32]:
    """Return the sum over the energies for each crystal, (n_crystals,)."""
    return np.concatenate([each.sum(axis=1, dtype=np.float64) for each in bins]).astype(np.float32)


def pair_table(
    found: Tree, geometry: Geometry, bins: Sequence[Array], path: Path
) -> PairTable | None:
    """Return the tables of module pairs.

    Parameters
    ----------
    found
        `detectionEfficiencies` of the header
    geometry
        scanner of the header
    bins
        efficiencies of detection bins
    path
        file, for messages

    Returns
    -------
    table
        None if the file has none
    """
    listed: Lists = found["modulePairEfficienciesVectors"]
    # Without symmetry groups, the tables could not be assigned to pairs.
    if geometry.kinds is None or not any(vector for row in listed for vector in row):
        return None
    tables = [_table(listed, group, geometry.types, path) for group in geometry.groups]
    sizes = np.array([table.size for table in tables], np.int64)
    # Types can have different numbers of energy bins; unused columns stay 0.
    types = geometry.types
    n_energies = max(one.n_energies for one in types)
    shares = np.zeros((geometry.scanner.n_crystals, n_energies), np.float32)
    for one, each in zip(types, bins, strict=True):
        total = each.sum(axis=1, keepdims=True)
        even = np.full_like(each, 1 / one.n_energies)
        # The crystal already contains the sum over energies, so the pair only needs their shares. A
        # dead crystal has none; equal shares avoid a division by zero.
        part = np.divide(each, total, out=even, where=total > 0)
        shares[one.first_crystal : one.first_crystal + one.n_crystals, : one.n_energies] = part
    keys = geometry.scanner.keys
    return PairTable(
        modules=np.ascontiguousarray(keys[:, 0]),
        places=np.ascontiguousarray(keys[:, 1]),
        kinds=np.asarray(geometry.kinds, np.int32),
        # Tables of all groups are stored one after the other in a single array, for the kernels.
        starts=np.cumsum(sizes) - sizes,
        widths=np.array([table.shape[1] for table in tables], np.int64),
        values=np.concatenate([table.ravel() for table in tables]),
        shares=shares,
        energies=np.repeat([t.n_energies for t in types], [t.n_crystals for t in types]).astype(
            np.int32
        ),
    )


def _table(rows: Lists, group: Group, types: Sequence[Modules], path: Path) -> Array:
    """Return the factors for the detection bins of two modules, (n_rows, n_columns); or 1."""
    upper, lower = types[group.upper], types[group.lower]
    shape = (upper.n_elements * upper.n_energies, lower.n_elements * lower.n_energies)
    vector = rows[group.upper][group.lower] if _has(rows, group) else ()
    if not vector:
        return np.ones(shape, np.float32)
    where = f"{path.name}: group {group.number} of module types {group.upper} and {group.lower}"
    one = vector[group.number] if group.number < len(vector) else None
    # The group number is stored twice: as the position in the list and in the entry.
    if one is None or one["sgid"] != group.number:
        raise FileFormatError(
            f"{where}: the efficiencies are missing or out of order; write the file again."
        )
    lines: Sequence[Array] = one["values"]
    if len(lines) != shape[0] or any(len(line) != shape[1] for line in lines):
        lengths = sorted({len(line) for line in lines})
        raise FileFormatError(
            f"{where}: the efficiencies are a table of {len(lines)} × {lengths} values, expected "
            f"{shape[0]} × {shape[1]} values; write the file again."
        )
    table = np.asarray(lines, np.float32)
    if not np.isfinite(table).all() or (table < 0).any():
        raise DataError(
            f"{where}: the efficiencies contain negative values or NaN; write the file again."
        )
    return table


def _has(rows: Lists, group: Group) -> bool:
    return group.upper < len(rows) and group.lower < len(rows[group.upper])


def live_of_blocks(blocks: Blocks, path: Path) -> list[OfBins]:
    """Return the live fractions in each block, in the order of the file.

    Parameters
    ----------
    blocks
        all blocks
    path
        file, for messages
    """
    return [
        of_bins(
            times["singlesAliveTimeFractions"], blocks.geometry, path, "singlesAliveTimeFractions"
        )
        for _, _, times in blocks.alive
    ]


def mean_live(blocks: Blocks, live: Sequence[OfBins]) -> tuple[OfBins | None, tuple[str, ...]]:
    """Return the mean live fractions over the scan, and notes.

    Parameters
    ----------
    blocks
        all blocks
    live
        live fractions of each block

    Returns
    -------
    mean, notes
        None if the file states no live times
    """
    if not live:
        return None, ()
    lengths = [stop - start for start, stop, _ in blocks.alive]
    total = sum(lengths) or len(lengths)
    sums = [
        # Weighted by length. Blocks of length 0 count equally if the file states no lengths at all.
        sum((ms or 1) * one for ms, one in zip(lengths, of_type, strict=True))
        for of_type in zip(*live, strict=True)
    ]
    mean = [np.asarray(each / total, np.float32) for each in sums]
    if any(row for _, _, times in blocks.alive for row in times["modulePairAliveTimeFractions"]):
        return mean, ("Live times of module pairs are not used; those of crystals are used.",)
    return mean, ()


def live_times(
    blocks: Blocks, live: Sequence[OfBins], bins: OfBins, mean: OfBins | None, crystals: Array
) -> LiveTimes | None:
    """Return the changes of live times during the scan.

    Parameters
    ----------
    blocks
        blocks with live times
    live
        live fractions of each block
    bins
        efficiencies of detection bins, which weight the energies of a crystal
    mean
        mean live fractions over the scan
    crystals
        (n, 2) crystals of all events

    Returns
    -------
    live
        None if they do not change
    """
    if mean is None or len(live) < 2:
        return None
    whole = crystal_efficiencies(_product(bins, mean))
    counts = np.bincount(crystals.ravel(), minlength=len(whole))
    # Weighted by events, because crystals that detect more matter more for a frame.
    weights = np.where(whole > 0, counts, 0)
    if not weights.any():
        return None
    parts = [
        np.divide(found, whole, out=np.zeros(len(whole)), where=whole > 0)
        # Relative to the mean, which the efficiencies already contain.
        for found in (crystal_efficiencies(_product(bins, each)) for each in live)
    ]
    first_ms = min(start for start, _ in blocks.spans_ms)
    return LiveTimes.of([start - first_ms for start, _, _ in blocks.alive], parts, weights)


def _product(one: OfBins, other: OfBins) -> OfBins:
    return [a * b for a, b in zip(one, other, strict=True)]
