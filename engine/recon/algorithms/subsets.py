"""Number of subsets that the counts allow, and of passes that compensate for fewer subsets.

A subset must cover every voxel of the object: it needs `CountDemand.in_subset` counts or more. With
fewer counts there are fewer subsets and more passes, so the number of updates is the same. The
minimum is one subset, which is MLEM. With very many counts there are more subsets and fewer passes.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_SUBSETS, MIN_PASSES = 8, 3
"""Default limits. The last subsets of a pass have more weight, least with three passes or more."""
MAX_PASSES = 20
"""Above this number, subsets replace passes, as in Chou et al., PLoS ONE 7 (2012) e50540."""
IN_LARGE_SUBSET, MIN_LARGE_PASSES = 4_000_000, 2
"""Counts of a subset from which subsets replace passes, and minimum of passes then."""


@dataclass(frozen=True)
class CountDemand:
    """Counts of a scan, and the counts that its subsets need.

    Attributes
    ----------
    n_counts : counts of the data that are reconstructed
    in_subset : counts that a subset needs to see every voxel of the object
    for_image : counts that an image needs to show more than noise
    n_families : number of groups of rows that a subset cannot divide; None for no such limit
    """

    n_counts: float
    in_subset: float
    for_image: float = 0.0
    n_families: int | None = None

    @property
    def max_subsets(self) -> int:
        """Number of subsets with enough counts; 0 if there are too few for one."""
        return int(self.n_counts / self.in_subset)


def even_updates(n_updates: int) -> int:
    """Return a number of updates, rounded up so that common numbers of subsets divide it."""
    # Multiples of 8 are divisible by 2, 4 and 8; small numbers are left as they are.
    step = 1 if n_updates <= 8 else 8
    return -(-n_updates // step) * step


def passes_for(n_updates: int, n_subsets: int) -> int:
    """Return the passes that make at least this number of updates.

    Parameters
    ----------
    n_updates
        required number of updates
    n_subsets
        updates of a pass
    """
    return -(-n_updates // n_subsets)


def subsets_for(n_updates: int, demand: CountDemand | None = None) -> int:
    """Return the largest divisor of a number of updates that counts and passes allow.

    Parameters
    ----------
    n_updates
        number of updates
    demand
        counts of the scan; None: there are enough
    """
    # At least three passes, but not more than 20: long runs have more subsets.
    max_subsets = max(min(MAX_SUBSETS, n_updates // MIN_PASSES), n_updates // MAX_PASSES)
    if demand is not None:
        # Large subsets describe the image well, so passes can be replaced by subsets.
        many = int(min(demand.n_counts // IN_LARGE_SUBSET, n_updates // MIN_LARGE_PASSES))
        max_subsets = min(max(max_subsets, many), demand.max_subsets)
    return divisor_of(n_updates, max_subsets)


def divisor_of(n_updates: int, maximum: int) -> int:
    """Return the largest divisor of a number that is at most `maximum`; at least 1."""
    return max(d for d in range(1, max(maximum, 1) + 1) if n_updates % d == 0)
