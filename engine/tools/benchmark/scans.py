"""Scans of the benchmarks: three line sources, and a body in a long scanner.

The paper states no sizes, no scanner and no number of events. These are ours, and all results state
them.
"""

from __future__ import annotations

from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_scanner
from engine.simulate import simulate_listmode, three_line_sources
from engine.simulate.phantom import ShapePhantom
from engine.simulate.phantoms import BONE_PER_MM, LUNG_PER_MM, WATER_PER_MM
from engine.simulate.shapes import Cylinder, Ellipsoid, sphere

LINES_FOV_MM = 256.0
"""Edge of the cube with the three lines, for any number of voxels."""
LINES_RING = RingSettings(
    name="Ring for three line sources",
    source="Our own: covers a cube of 256 mm.",
    n_rings=64,
    n_crystals_per_ring=504,
    radius_mm=300.0,
    ring_pitch_mm=4.0,
    max_ring_difference=63,
    n_tangential=320,
    fov_mm=(LINES_FOV_MM, LINES_FOV_MM),
)
BODY_GRID = ImageGrid((580, 86, 133), (2.0, 2.0, 2.0))
"""133 × 86 × 580 voxels (x, y, z), as in the paper; the voxel size is ours."""
BODY_SCANNER = "total-body"


def line_sources(n_events: int, seed: int) -> ListMode:
    """Return events of three line sources in air, all of them true.

    Parameters
    ----------
    n_events
        number of events
    seed
        random seed
    """
    scanner = RingScanner(LINES_RING)
    phantom = three_line_sources()
    # Without randoms, so that no correction is part of the measured time
    return simulate_listmode(phantom, scanner, n_prompts=n_events, seed=seed, randoms_fraction=0)


def lines_grid(size: int) -> ImageGrid:
    """Return the cube of `size`³ voxels."""
    voxel_mm = LINES_FOV_MM / size
    return ImageGrid((size, size, size), (voxel_mm, voxel_mm, voxel_mm))


def body_scan(n_events: int, seed: int) -> ListMode:
    """Return attenuated true events of `body` with time of flight.

    Parameters
    ----------
    n_events
        number of events
    seed
        random seed
    """
    scanner = read_scanner(BODY_SCANNER)
    return simulate_listmode(body(), scanner, n_prompts=n_events, seed=seed, randoms_fraction=0)


def body() -> ShapePhantom:
    """Return a small person with FDG within the 266 × 172 × 1160 mm of `BODY_GRID`."""
    # Shapes add up, so a lung is a negative attenuation within the body
    air, bone = LUNG_PER_MM - WATER_PER_MM, BONE_PER_MM - WATER_PER_MM
    shapes = (
        Ellipsoid((0, 0, 460), (66, 80, 105), 0.6, WATER_PER_MM),
        Ellipsoid((0, 0, 475), (56, 70, 75), 5.0),
        Cylinder((0, 0, 60), (122, 78, 300), 1.0, WATER_PER_MM),
        Ellipsoid((60, -5, 190), (38, 48, 100), -0.7, air),
        Ellipsoid((-60, -5, 185), (42, 50, 105), -0.7, air),
        Ellipsoid((14, -28, 150), (34, 28, 38), 4.0, turn_deg=35),
        Ellipsoid((14, -28, 150), (24, 18, 28), -3.8, turn_deg=35),
        Ellipsoid((-50, -8, 30), (58, 52, 50), 1.4),
        Ellipsoid((52, 30, -20), (20, 18, 42), 2.5),
        Ellipsoid((-52, 30, -30), (20, 18, 42), 2.5),
        Ellipsoid((0, -15, -200), (34, 30, 28), 9.0),
        Cylinder((0, 55, 90), (15, 15, 260), 0.5, bone),
        Cylinder((55, 0, -405), (48, 52, 165), 0.7, WATER_PER_MM),
        Cylinder((-55, 0, -405), (48, 52, 165), 0.7, WATER_PER_MM),
        Cylinder((55, 0, -405), (14, 14, 165), -0.4, bone),
        Cylinder((-55, 0, -405), (14, 14, 165), -0.4, bone),
        sphere((-62, 20, 200), 14, 6.0, -air),
        sphere((30, 10, -90), 18, 6.0),
    )
    return ShapePhantom("body", shapes)
