"""Geometric efficiency of the lines of response, from the crystals at both ends.

A measured geometry table of a normalisation file replaces this closed form.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.core.backend import Backend
from engine.corrections.base import Multiplicative
from engine.data.line_factors import GeometricFactor, LineFactor
from engine.data.listmode import ListMode


class LineGeometry(Multiplicative[ListMode]):
    """Solid angle and depth of the crystals at both ends of a line, from the scanner's geometry."""

    title: ClassVar[str] = "Line geometry"
    kind: ClassVar[str] = "line_geometry"
    since: ClassVar[int | None] = 3

    def obstacle(self, data: ListMode) -> str | None:
        # A measured table and the closed form describe the same effect; both would correct it
        # twice.
        """Return why the closed form is not used.

        Returns
        -------
        obstacle
            a reason if a measured table already contains the geometry; None otherwise
        """
        if any(f.replaces_geometry for f in data.line_factors):
            return "the normalisation file includes the geometry, and its table is used"
        return None

    def factor(self, data: ListMode, *, on: Backend) -> LineFactor:
        return GeometricFactor()

    def summary(self, before: ListMode, after: ListMode) -> str:
        depth = before.scanner.crystal_depth
        # 10,000 evenly spaced lines suffice for a range; a scanner can have more than 10⁹ lines.
        lines = before.scanner.lors(
            np.linspace(0, before.scanner.n_lors - 1, 10_000).astype(np.int64)
        )
        weights = before.scanner.geometric_factor(lines)[before.scanner.in_coincidence(lines)]
        span = f"{weights.min():.2f} to {weights.max():.2f}" if len(weights) else "none"
        return (
            f"line efficiency {span} relative to perpendicular incidence: crystals "
            f"{depth.depth_mm:g} mm deep, attenuation {depth.attenuation_per_mm:g} per "
            "mm"
        )
