"""An object moves rigidly during the scan: each view gets the geometry that the object sees."""

from __future__ import annotations

import numpy as np

import isocenter as iso

BALLS = ((0.0, 0.0, 0.0, 22.0, 0.02), (8.0, 6.0, 4.0, 5.0, 0.02), (-10.0, 4.0, -5.0, 4.0, 0.03))
"""Centre x, y, z and radius [mm], and attenuation [1/mm]."""
N_VIEWS = 60

orbit = iso.circular_cone(
    np.linspace(0, 2 * np.pi, N_VIEWS, endpoint=False),
    source_axis_mm=300,
    source_detector_mm=450,
    shape=(48, 56),
    pixel_mm=2,
)
steps = np.linspace(0, 1, N_VIEWS)
motions = [
    iso.geometry.RigidMotion((6 * s, -3 * s, 5 * np.sin(6 * s)), (4 * s, -3 * s, 15 * s))
    for s in steps
]


def projections(geometry: iso.XrayGeometry) -> np.ndarray:
    """Return Σ 2 μ √(r² − d²) of the balls, at their moved positions in each view."""
    total = np.zeros((geometry.n_views, *geometry.shape), np.float32)
    for view, (source, motion) in enumerate(zip(geometry.source_mm, motions, strict=True)):
        ray = geometry.pixel_mm(view) - source
        ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
        for *centre, radius, mu in BALLS:
            now = motion.matrix @ centre + motion.shift_mm
            rest = radius**2 - (np.cross(now - source, ray) ** 2).sum(axis=-1)
            total[view] += 2 * mu * np.sqrt(np.maximum(rest, 0))
    return total


def truth(grid: iso.ImageGrid) -> np.ndarray:
    """Return the object before it moved."""
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    image = np.zeros(grid.shape, np.float32)
    for a, b, c, radius, mu in BALLS:
        image += mu * ((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 < radius**2)
    return image


grid = iso.ImageGrid(shape=(30, 30, 30), voxel_mm=(2.0, 2.0, 2.0))
y, wanted = projections(orbit), truth(grid)
errors = {}
for name, geometry in {"at rest": orbit, "with its motion": orbit.following(motions)}.items():
    A = iso.XrayTransform(geometry, grid, on=iso.cpu())
    sirt = iso.algorithms.Sirt(iterations=20, subsets=4)
    for step in iso.algorithms.solve(sirt, iso.LinearModel(A, y), np.zeros(grid.shape, np.float32)):
        image = step.image
    errors[name] = float(np.linalg.norm(image - wanted) / np.linalg.norm(wanted))
    unexplained = np.linalg.norm(A @ image - y) / np.linalg.norm(y)
    print(f"reconstructed {name}: error {errors[name]:.0%}, {unexplained:.1%} unexplained")
if errors["with its motion"] > 0.6 * errors["at rest"]:
    raise SystemExit("the known motion must sharpen the image")
