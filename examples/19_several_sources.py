"""Three sources and detectors watch bubbles: an image of each frame from three views.

As in Graas et al., "ASTRA KernelKit", section 4.3: the sources of a fluidised bed stand still, and
each triple of frames gives one volume. Frames arrive one after another, and every reconstruction
starts from the one before. The data are relative to the bed without bubbles.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

import numpy as np

import isocenter as iso

N_FRAMES, MU_PER_MM = 12, 0.02
PAIRS = ((0.0, 200, 330), (2.1, 210, 350), (4.2, 190, 320))
"""Angle [rad] of each source, and its distance from the axis and from its detector [mm]."""

cameras = [
    iso.circular_cone(
        [angle], source_axis_mm=axis, source_detector_mm=detector, shape=(60, 40), pixel_mm=2
    )
    for angle, axis, detector in PAIRS
]
bed = cameras[0].joined(*cameras[1:])


def bubbles(frame: int) -> list[tuple[np.ndarray, float]]:
    """Return centre and radius of each bubble [mm]: they rise, the small one is faster."""
    return [
        (np.array([6.0, -4.0, -14 + 1.5 * frame]), 6.0),
        (np.array([-9.0, 5.0, -20 + 3.0 * frame]), 4.0),
    ]


def integrals(geometry: iso.XrayGeometry, frame: int) -> np.ndarray:
    """Return the integral of the bubbles on each line: 2 μ √(r² − d²), d from centre to ray."""
    total = np.zeros((geometry.n_views, *geometry.shape), np.float32)
    for view, source in enumerate(geometry.source_mm):
        ray = geometry.pixel_mm(view) - source
        ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
        for centre, radius in bubbles(frame):
            apart = np.cross(centre - source, ray)
            rest = radius**2 - (apart**2).sum(axis=-1)
            total[view] += 2 * MU_PER_MM * np.sqrt(np.maximum(rest, 0))
    return total


def frames() -> Iterator[tuple[int, np.ndarray]]:
    """Yield each frame as the detectors send it, with noise."""
    rng = np.random.default_rng(1)
    for frame in range(N_FRAMES):
        clean = integrals(bed, frame)
        yield frame, clean + rng.normal(0, 0.002, clean.shape).astype(np.float32)


def centre_of(image: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return the centre of mass within 8 mm of a point [mm]."""
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    points = np.stack([x, y, z], axis=-1)
    weight = image * (np.linalg.norm(points - near, axis=-1) < 8)
    return np.asarray((points * weight[..., None]).sum(axis=(0, 1, 2)) / weight.sum())


grid = iso.ImageGrid(shape=(36, 22, 22), voxel_mm=(2.0, 2.0, 2.0))
A = iso.XrayTransform(bed, grid, on=iso.cpu())
sirt = iso.algorithms.Sirt(iterations=25, subsets=1)
image = np.zeros(grid.shape, np.float32)
errors: list[float] = []
begin = process_time()
for frame, y in frames():
    for step in iso.algorithms.solve(sirt, iso.LinearModel(A, y), image):
        image = step.image
    found = [(centre_of(image, centre), centre) for centre, _ in bubbles(frame)]
    errors += [float(np.linalg.norm(one - other)) for one, other in found]
seconds = (process_time() - begin) / N_FRAMES
print(f"{N_FRAMES} frames of three views, {1e3 * seconds:.0f} ms of a processor each")
print(f"bubbles found within {np.mean(errors):.1f} mm, at most {max(errors):.1f} mm")
if max(errors) > 2.0:
    raise SystemExit("each bubble must be found within a voxel")
