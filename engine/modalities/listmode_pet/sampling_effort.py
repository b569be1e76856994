"""Number of lines that the list-mode sensitivity traces, in total and at a time."""

from __future__ import annotations

BATCH = 500_000
"""Lines whose sum is one sample of the image; reproducible sums take as many on any device."""
BATCH_ON_GPU = 2_000_000
MOST_AT_ONCE = 2_000_000
"""Lines of a batch that are traced together; on their way they take up to 105 bytes each."""
VOXELS_PER_LINE = 4
"""Large images take more lines at a time, so that adding them up costs little."""
MIN_BATCHES = 8
EXACT_BELOW = 20_000_000
"""Lines up to which "auto" takes them all."""
TRACED_BELOW = 1_000_000
"""Lines that are sooner traced than summed up by rings."""
LINES_PER_EVENT = 4
"""A sample holds at least this many lines for each event, so that its noise stays below theirs."""
MOST_LINES_PER_EVENT = 16
"""With the method left to us, more lines than this for each event gain nothing over their noise."""
