"""Reconstruct the same photons by MAP with several methods and compare the images.

python -m tests.physics.map_agreement [--pairs N] [--strength S]

The product reconstructs the mouse of `tests.physics.map_scan` with 8, 16 and 24 subsets, from
events in another order, and from the sinogram of the same events (span 1). The table has the
largest difference of a region at the end of the run, and the difference of the voxels (rms over the
object) after 40 passes, both relative to the background.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import engine
from engine.data.listmode import ListMode
from engine.data.sinogram import binned
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import write_listmode
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.recon.algorithms import optimality
from tests.judge.studies import TRUES, JudgeStudy
from tests.judge_scans import cached_pairs, listmode_of, ring_of
from tests.physics.map_scan import MOUSE, MapScan

DIAMETER_MM = 34.0
PASSES, PASSES_BEFORE, PASSES_OF_CYCLE = 40, 5, 3
"""Passes after which voxels are compared, and passes of the preparation and of a cycle."""


@dataclass(frozen=True)
class Method:
    """One method to reconstruct the image.

    Attributes
    ----------
    name : for the table
    subsets : of the data
    is_shuffled : True for events in another order
    is_sinogram : True for the sinogram of the events
    """

    name: str
    subsets: int
    is_shuffled: bool = False
    is_sinogram: bool = False


METHODS = (
    Method("list mode, 16 subsets", 16),
    Method("list mode, 8 subsets", 8),
    Method("list mode, 24 subsets", 24),
    Method("events in another order", 16, is_shuffled=True),
    Method("sinogram, span 1", 16, is_sinogram=True),
)
"""The first one is compared with the others."""


@dataclass(frozen=True)
class Agreement:
    """Differences of a method from the first one, relative to the background.

    Attributes
    ----------
    name : of the method
    regions : largest difference of a region at the end of the run
    voxels : rms of the voxels of the object after 40 passes
    """

    name: str
    regions: float
    voxels: float


class MouseFiles:
    """The mouse in files of the product.

    Parameters
    ----------
    scan : photons of the judge
    folder : for the files
    """

    def __init__(self, scan: MapScan, folder: Path) -> None:
        self.scan, self._folder = scan, folder
        study = JudgeStudy("map-rods", MOUSE.phantom(), MOUSE.scanner, TRUES, scan.seed)
        pairs = cached_pairs(study, scan.n_pairs or MOUSE.n_pairs)
        ring = ring_of(MOUSE.scanner, diameter_mm=DIAMETER_MM, voxel_mm=(MOUSE.voxel_mm,) * 3)
        self._events = listmode_of(pairs, ring, pairs.crystals)

    def image(self, method: Method, strength: float, **settings: int) -> NDArray[np.float32]:
        """Return the image of a method, (n_z, n_y, n_x)."""
        data = self._sinogram() if method.is_sinogram else self._list(shuffled=method.is_shuffled)
        kind = RingSinogramProtocol if method.is_sinogram else engine.ListModeProtocol
        chosen = {"kind": "map", "strength": strength, "subsets": method.subsets, **settings}
        size = {
            "voxel_mm": (MOUSE.voxel_mm,) * 3,
            "diameter_mm": DIAMETER_MM,
            "length_mm": MOUSE.length_mm,
        }
        # the corrections of both methods differ slightly, independent of the algorithm
        steps = {step.kind: {"use": "off"} for step in kind().corrections.steps()}
        protocol = kind(grid=size, corrections=steps, algorithm=chosen, finishing=())
        study = engine.Study(data=data, protocol=protocol)
        return engine.reconstruct(study, on=engine.cpu()).values

    def _list(self, *, shuffled: bool) -> Path:
        events, path = self._events, self._folder / f"mouse-{shuffled}.h5"
        if shuffled:
            order = np.random.default_rng(5).permutation(events.n_events)
            events = _in_order(events, order)
        if not path.exists():
            write_listmode(events, path)
        return path

    def _sinogram(self) -> Path:
        path = self._folder / "mouse.hs"
        if not path.exists():
            layout = SinogramLayout.of(self._events.scanner, span=1, mashed=1, max_difference=None)
            write_sinogram(binned(self._events, layout, delayed=False, timed=False), path)
        return path


def _in_order(events: ListMode, order: NDArray[np.int64]) -> ListMode:
    return replace(events, crystals=events.crystals[order])


def agreements(scan: MapScan, strength: float) -> Iterator[Agreement]:
    """Yield the differences of each method from the first one."""
    whole, background, rods = scan.regions()
    cycles = (PASSES - PASSES_BEFORE) // PASSES_OF_CYCLE
    with tempfile.TemporaryDirectory() as folder:
        files = MouseFiles(scan, Path(folder))
        first: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        for method in METHODS:
            at_end = files.image(method, strength)
            with patch.object(optimality, "LARGEST_CHANGE", -1.0):  # prevent an automatic stop
                found = at_end, files.image(method, strength, iterations=cycles)
            first = found if first is None else first
            level = first[1][background].mean()
            ends, late = (now - before for now, before in zip(found, first, strict=True))
            regions = max(abs(float(ends[mask].mean())) for mask in (*rods, background, whole))
            voxels = float(np.sqrt(np.mean(late[whole].astype(np.float64) ** 2)))
            yield Agreement(method.name, regions / level, voxels / level)


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--strength", type=float, default=0.03)
    chosen = parser.parse_args(arguments)
    out = sys.stdout.write
    out("| way | regions [%] | voxels [%] |\n|---|---|---|\n")
    for each in agreements(MapScan(MOUSE, chosen.pairs), chosen.strength):
        out(f"| {each.name} | {100 * each.regions:.3f} | {100 * each.voxels:.3f} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
