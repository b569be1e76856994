"""Read the true emission image of a GATE scan: the decays of all detected coincidences.

A voxel contains the number of coincidences from its decays, scattered or not. That is its activity,
multiplied by sensitivity and attenuation, in counts.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.io.base import VolumeReader
from engine.io.gate.trees import CoincidenceTree, RootFile, open_root, stacked
from engine.io.safety.open_input import InputFile

UNIT = "counts"
VOXELS_MM = (0.5, 1.0, 2.0, 4.0)
WIDE = 128
"""Maximum number of voxels across; otherwise larger voxels are used."""
MAX_EDGE = 512


class GateEmissions(VolumeReader):
    """Positions of the decays of GATE coincidences."""

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        with open_root(file) as root:
            tree = root.coincidences()[0]
            b = tree.branches
            if not b.sources or not b.events:
                raise FileFormatError(
                    f"{file.name}: {tree.name} has no decay positions (sourcePosX1, eventID1); "
                    "unmask these branches in GATE."
                )
            grid = _grid(root, tree)
            # Integers: float32 stops counting at 2^24.
            counts = np.zeros(grid.shape, np.int64)
            lower = np.array(grid.centre_mm) - np.array(grid.voxel_mm) * grid.shape[::-1] / 2
            for columns in root.rows(tree, (*b.sources, *b.events)):
                # Randoms have two decays, so they have no emission point.
                same = columns[b.events[0]] == columns[b.events[1]]
                at = np.floor((stacked(columns, b.sources)[same] - lower) / grid.voxel_mm)
                at = at.astype(np.int64)
                inside = ((at >= 0) & (at < grid.shape[::-1])).all(axis=1)
                x, y, z = at[inside].T
                flat = np.ravel_multi_index((z, y, x), grid.shape)
                counts += np.bincount(flat, minlength=counts.size).reshape(grid.shape)
        info = {"format": cls.name, "data_file": file.name, "tree": tree.name}
        return Volume(counts.astype(np.float32), grid, UNIT, info=info)


def _grid(root: RootFile, tree: CoincidenceTree) -> ImageGrid:
    """Return a grid around the scanner centre that contains all decays."""
    reach = np.zeros(3)
    for columns in root.rows(tree, tree.branches.sources):
        reach = np.maximum(reach, np.abs(stacked(columns, tree.branches.sources)).max(axis=0))
    if not np.isfinite(reach).all() or reach.max() > VOXELS_MM[-1] * MAX_EDGE / 2:
        raise FileFormatError(
            f"{root.name}: decays are up to {reach.max():g} mm from the centre, expected at most "
            f"{VOXELS_MM[-1] * MAX_EDGE / 2:g} mm; give positions in mm."
        )
    voxel = next((v for v in VOXELS_MM if 2 * reach.max() <= WIDE * v), VOXELS_MM[-1])
    # Even numbers keep the scanner centre on a voxel face. 1e-6 mm includes decays exactly at the
    # edge.
    n: list[int] = [2 * ceil((r + 1e-6) / voxel) for r in reach]
    edges: Point = (voxel, voxel, voxel)
    return ImageGrid((n[2] or 2, n[1] or 2, n[0] or 2), edges)
