"""Make Python collect cyclic garbage rarely.

Imports and stored kernels create about 300,000 objects, and nearly all live until the end. With
Python's own thresholds they are searched hundreds of times, which takes a tenth of the processor
time of a short run. The threshold here is higher than their number. Long runs still collect.
"""

from __future__ import annotations

import gc

SELDOM = 1_000_000
"""Objects after which a collection is due."""


def collect_seldom() -> None:
    """Collect seldom from now on; only the start of a program or of a process calls this."""
    youngest, *older = gc.get_threshold()
    # 0 means that the program has switched collections off.
    if youngest:
        gc.set_threshold(max(youngest, SELDOM), *older)
