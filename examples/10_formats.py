"""Formats: inspect files, read any of them, convert and export them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import engine
from engine.io import inspect
from engine.simulate import point, uniform_cylinder

# a scan in our own format, read back by the one function for all formats
ring = engine.read_scanner("demo-ring")
engine.save(engine.simulate_listmode(point(), ring, n_prompts=2000, seed=1), "scan.h5")
report = inspect("scan.h5")
print(f"scan.h5: {report.format}: {report.title}")
for label, text in report.facts[:4]:
    print(f"  {label}: {text}")
again = engine.read("scan.h5")

# projections from one format into another
orbit = engine.circular_cone(
    np.linspace(0, 2 * np.pi, 12, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=800,
    shape=(8, 24),
    pixel_mm=4,
)
engine.save(engine.simulate_integrals(uniform_cylinder(diameter_mm=30), orbit), "xray.toml")
engine.save(engine.read("xray.toml"), "xray.h5")
print(f"xray.h5: {inspect('xray.h5').title}")

# a volume as NIfTI for other programs, as HDF5 for us, as a picture
grid = engine.ImageGrid(shape=(20, 30, 40), voxel_mm=(2.0, 2.0, 3.0))
values = np.zeros(grid.shape, np.float32)
values[8:12, 10:20, 10:30] = 1.0
volume = engine.Volume(values, grid, "counts/mm", info={"made by": "an example"})
for name in ("image.nii.gz", "image.h5", "image.png"):
    engine.save(volume, name)
read = engine.read("image.nii.gz")
if not isinstance(read, engine.Volume):
    raise SystemExit("the file must contain an image")
if not (read.grid == grid and np.array_equal(read.values, values)):
    raise SystemExit("a volume must come back from NIfTI as it was")

# a damaged file is refused with one sentence that states the remedy
Path("broken.h5").write_bytes(b"this is no scan")
try:
    engine.read("broken.h5")
except engine.EngineError as fault:
    print(f"refused: {fault}")
