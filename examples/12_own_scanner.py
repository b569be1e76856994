"""A scanner of your own: rings as a text file, anything else as a table of crystals."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import engine
from engine.simulate import point

Path("my-scanner.toml").write_text(
    """
kind = "ring"
name = "My scanner"
n_rings = 6
n_crystals_per_ring = 96
radius_mm = 60.0
ring_pitch_mm = 4.0
max_ring_difference = 5
n_tangential = 64
block_rings = 6
block_places = 12
voxel_mm = [2.0, 2.0, 2.0]
fov_mm = [60.0, 24.0]
""",
    encoding="utf-8",
)
ring = engine.read_scanner("my-scanner.toml")

# the same crystals, one line each: ring, place, x, y, z in mm
rows = [
    f"{i // 96} {i % 96} {x:.4f} {y:.4f} {z:.4f}" for i, (x, y, z) in enumerate(ring.positions_mm)
]
Path("my-crystals.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
table = engine.read_scanner("my-crystals.txt")
print(f"{ring.name}: {ring.describe()}; {table.name}: {table.describe()}")

for scanner in (ring, table):
    scan = engine.simulate_listmode(
        point(10, -6, 3, diameter_mm=3), scanner, n_prompts=20_000, randoms_fraction=0, seed=1
    )
    engine.save(scan, "own.h5")
    protocol = engine.ListModeProtocol(
        grid={"voxel_mm": (2, 2, 2), "diameter_mm": 50, "length_mm": 20},
        algorithm={"kind": "osem", "iterations": 2, "subsets": 4},
    )
    volume = engine.reconstruct(engine.Study(data="own.h5", protocol=protocol))
    k, j, i = np.unravel_index(volume.values.argmax(), volume.values.shape)
    found = [float(volume.grid.centres_mm(axis)[n]) for axis, n in enumerate((i, j, k))]
    print(f"hottest voxel at {found} mm; the source is at 10, -6, 3 mm")
    if max(abs(a - b) for a, b in zip(found, (10, -6, 3), strict=True)) > 2:
        raise SystemExit("the source is not where it should be")
