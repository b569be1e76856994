"""Measure the edges of a mouse with rods in images of MAP of the protocol *Small animal*.

python -m tests.physics.mouse_edges [--pairs N] [--seeds K] [--smoothness NAME]

The mouse is that of `tests.physics.map_scan`. A value is the mean of a layer inside the skin,
relative to the part deeper than 6 mm. Rods are left out with a margin of 3 mm.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import engine
from engine.data.volume import Volume
from engine.modalities.studies import shipped_protocols
from tests.judge.studies import TRUES, JudgeStudy
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of
from tests.physics.edge_profile import finer
from tests.physics.map_agreement import DIAMETER_MM
from tests.physics.map_scan import BODY_MM, MOUSE, RODS

DEPTHS_MM = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, BODY_MM)
"""Limits of the layers inside the skin; the last layer is the middle."""
MARGIN_MM = 3.0
Array = NDArray[np.float64]


def image_of(seed: int, n_pairs: int, smoothness: str) -> Volume:
    """Return the image of the photons of a seed."""
    voxel_mm, phantom = (MOUSE.voxel_mm,) * 3, MOUSE.phantom()
    pairs = cached_pairs(JudgeStudy("map-rods", phantom, MOUSE.scanner, TRUES, seed), n_pairs)
    ring = ring_of(MOUSE.scanner, diameter_mm=DIAMETER_MM, voxel_mm=voxel_mm)
    grid = {"voxel_mm": voxel_mm, "diameter_mm": DIAMETER_MM, "length_mm": MOUSE.length_mm}
    chosen = {"grid": grid, "algorithm": {"kind": "map", "smoothness": smoothness}}
    values = shipped_protocols()["small-animal"].model_dump() | chosen
    protocol = engine.ListModeProtocol.model_validate(values)
    mu_map = mu_map_of(phantom, protocol.grid.grid_for(ring))
    scan = listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mouse.h5"
        engine.save(scan, file)
        return engine.reconstruct(engine.Study(data=file, protocol=protocol), on=engine.cpu())


def layers_of(volume: Volume) -> Array:
    """Return the mean of each layer relative to the middle, outermost first."""
    x, y = (finer(volume.grid.centres_mm(axis=k), MOUSE.voxel_mm) for k in (0, 1))
    y = y[:, None]
    clear = np.all([np.hypot(x - u, y - v) > r + MARGIN_MM for u, v, r in RODS.values()], axis=0)
    planes = np.abs(volume.grid.centres_mm(axis=2)) < MOUSE.length_mm / 2 - 2 * MOUSE.voxel_mm
    image, depth = volume.values[planes].mean(axis=0, dtype=float), BODY_MM - np.hypot(x, y)
    means, parts = list[float](), len(x) // image.shape[1]
    for low, high in pairwise(DEPTHS_MM):
        inside = clear & (depth > low) & (depth <= high)
        share = inside.reshape(len(image), parts, image.shape[1], parts).mean(axis=(1, 3))
        means.append(float((share * image).sum() / share.sum()))
    return np.array(means[:-1]) / means[-1]


def main(arguments: list[str]) -> None:
    """Print the layers of each seed, their means and standard errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--smoothness", default="standard")
    chosen, found = parser.parse_args(arguments), list[Array]()
    for seed in range(1, chosen.seeds + 1):
        found.append(layers_of(image_of(seed, chosen.pairs, chosen.smoothness)))
        sys.stdout.write(f"seed {seed}: {np.round(found[-1], 3)}\n")
        sys.stdout.flush()
    errors = np.std(found, axis=0, ddof=1) / np.sqrt(len(found)) if len(found) > 1 else 0.0
    sys.stdout.write(f"mean {np.round(np.mean(found, axis=0), 3)}, se {np.round(errors, 3)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
