"""Tolerances that many tests share, each with the reason for its size.

A tolerance has a name from here, or a comment that gives its own reason.
"""

from __future__ import annotations

FLOAT64 = 1e-12
"""A few operations in float64 on numbers near 1, at 2e-16 each, with a margin for cancellation."""
FLOAT64_MM = 1e-10
"""Positions of up to 1e3 mm in float64: 1e-13 mm each, through some hundred operations."""
FLOAT64_SUMS = 1e-9
"""Long sums, fits and quotients in float64: 1e3 to 1e6 times 2e-16."""
FLOAT32 = 1e-6
"""One value rounded to float32 (6e-8), and up to some ten operations with it."""
FLOAT32_SUMS = 1e-5
"""Sums of 1e2 to 1e4 terms in float32: errors of 6e-8 add up like random steps."""
