"""Number of subsets that the counts allow, and the passes that compensate for fewer.

A subset must see every voxel of the object: `CountDemand.in_subset` counts or more. With fewer
counts there are fewer subsets and more passes, so that the number of updates stays the same; the
least is one subset, which is MLEM. With very many counts there are more subsets and fewer passes.
"""

from __future__ import annotations

from dataclasses import dataclass

MOST_SUBSETS, LEAST_PASSES = 8, 3
"""Usual limits; the last subsets of a pass count for more, least so with three passes or more."""
MOST_PASSES = 20
"""More passes than these are more subsets instead, as in Chou et al., PLoS ONE 7 (2012) e50540."""
IN_LARGE_SUBSET, FEWEST_PASSES = 4_000_000, 2
"""Counts of a subset from which on more subsets take the place of passes, and passes left."""


@dataclass(frozen=True)
class CountDemand:
    """Counts of a scan, and the counts that its subsets need.

    Attributes
    ----------
    n_counts : counts of the data that are reconstructed
    in_subset : counts that a subset needs to see every voxel of the object
    for_image : counts that an image needs to show anything but noise
    """

    n_counts: float
    in_subset: float
    for_image: float = 0.0

    @property
    def most_subsets(self) -> int:
        """Subsets that have enough counts each; 0 if one subset has too few."""
        return int(self.n_counts / self.in_subset)


def even_updates(n_updates: int) -> int:
    """Return a number of updates, rounded up so that usual numbers of subsets divide it."""
    step = 1 if n_updates <= 8 else 8
    return -(-n_updates // step) * step


def passes_for(n_updates: int, n_subsets: int) -> int:
    """Return the passes over all data that make at least so many updates."""
    return -(-n_updates // n_subsets)


def subsets_for(n_updates: int, demand: CountDemand | None = None) -> int:
    """Return the largest divisor of `n_updates` that counts and passes allow.

    demand : demand of the scan; None: there are enough counts
    """
    most = max(min(MOST_SUBSETS, n_updates // LEAST_PASSES), n_updates // MOST_PASSES)
    if demand is not None:
        many = int(min(demand.n_counts // IN_LARGE_SUBSET, n_updates // FEWEST_PASSES))
        most = min(max(most, many), demand.most_subsets)
    return divisor_of(n_updates, most)


def divisor_of(n_updates: int, most: int) -> int:
    """Return the largest divisor of a number that is no more than `most`; at least 1."""
    return max(d for d in range(1, max(most, 1) + 1) if n_updates % d == 0)
