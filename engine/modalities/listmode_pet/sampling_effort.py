"""Number of lines that the list-mode sensitivity traces, in total and at a time."""

from __future__ import annotations

BATCH = 500_000
"""Number of lines whose sum is one sample of the image; the same for reproducible sums on a GPU."""
BATCH_ON_GPU = 2_000_000
MOST_AT_ONCE = 2_000_000
"""Number of lines of a batch that are traced at once; each needs up to 105 bytes on the way."""
VOXELS_PER_LINE = 4
"""Larger images use more lines per batch, so that adding the batches costs little."""
# The error follows from the differences between batches, which fewer would not determine.
MIN_BATCHES = 8
EXACT_BELOW = 20_000_000
"""Number of lines up to which "auto" uses all of them."""
TRACED_BELOW = 1_000_000
"""Number of lines below which tracing is faster than summing by rings."""
LINES_PER_EVENT = 4
"""Smallest number of lines per event in a sample, so that its noise stays below theirs."""
MOST_LINES_PER_EVENT = 16
"""Number of lines per event above which "auto" gains nothing over the noise of the events."""
