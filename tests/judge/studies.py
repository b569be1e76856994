"""Studies: a phantom in a scanner, ready for simulation."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace

from tests.judge.compiled import digest
from tests.judge.materials import AIR, LUNG, LYSO, PMMA, POLYETHYLENE, WATER
from tests.judge.pairs import Coincidences, simulate_pairs
from tests.judge.phantoms import Phantom, Region
from tests.judge.readout import Physics
from tests.judge.scanners import Scanner
from tests.judge.solids import Vector, box, cylinder, sphere, tube


@dataclass(frozen=True)
class JudgeStudy:
    """Inputs of a simulation; equal studies always give equal pairs."""

    name: str
    phantom: Phantom
    scanner: Scanner
    physics: Physics
    seed: int = 1

    def pairs(self, n_pairs: int, n_threads: int | None = None) -> Coincidences:
        """Track decays until there are `n_pairs` pairs."""
        return simulate_pairs(
            self.phantom,
            self.scanner,
            self.physics,
            seed=self.seed,
            n_pairs=n_pairs,
            n_threads=n_threads,
        )

    def digest(self) -> str:
        """Return a hash of the study and of the judge, for the names of cached files."""
        return hashlib.sha256(f"{self!r} {digest()}".encode()).hexdigest()[:24]


TRUES = Physics(follows_scatter=False)
"""Only photons that the phantom does not scatter; 425 to 650 keV, 11 % at 511 keV."""


def round_ring(
    face_mm: float,
    length_mm: float,
    *,
    n_crystals: int,
    row_mm: float,
    crystal_mm: float | None = None,
    depth_mm: float = 20.0,
) -> Scanner:
    """Return a ring of adjacent crystals that all face the axis."""
    pitch = 2 * face_mm * math.tan(math.pi / n_crystals)
    n_rows = round(length_mm / row_mm)
    return Scanner(
        n_modules=n_crystals,
        face_mm=face_mm,
        along=(n_rows, 1),
        pitch_mm=(pitch, row_mm),
        crystal_mm=(crystal_mm or pitch, row_mm),
        depth_mm=depth_mm,
    )


def ring_300(length_mm: float) -> Scanner:
    """Return a whole-body ring: faces at 300 mm, LSO crystals of 3.9 x 5 x 20 mm."""
    return round_ring(300.0, length_mm, n_crystals=480, row_mm=5.0)


SAFIR = replace(
    round_ring(57.6, 200.2, n_crystals=180, row_mm=2.2, crystal_mm=2.0, depth_mm=13.0),
    material=LYSO,
)
"""Size of the virtual SAFIR of STIR's example: 91 rings of 180, mean depth at 63 mm."""


def uniform_cylinder(scanner: Scanner, radius_mm: float) -> JudgeStudy:
    """Return a water cylinder as long as the scanner, trues only."""
    length_mm = scanner.size_mm[1]
    phantom = Phantom("cylinder", (Region(cylinder(radius_mm, length_mm), WATER, 1.0),))
    return JudgeStudy(f"cylinder-{length_mm:.0f}", phantom, scanner, TRUES)


def short_ring_cylinder() -> JudgeStudy:
    """Return 20 cm of water in a ring of 320 mm."""
    return uniform_cylinder(ring_300(320.0), 100.0)


def long_ring_cylinder() -> JudgeStudy:
    """Return 20 cm of water in a ring of 1160 mm."""
    return uniform_cylinder(ring_300(1160.0), 100.0)


def safir_cylinder() -> JudgeStudy:
    """Return 3 cm of water in a ring for mice."""
    return uniform_cylinder(SAFIR, 15.0)


def scattering_cylinder(radius_mm: float = 100.0, *, n_rings: int = 48) -> JudgeStudy:
    """Return 20 cm of water: about 30 % scatter with a radius of 10 cm, 40 % with 15 cm."""
    phantom = Phantom("scatter", (Region(cylinder(radius_mm, 200), WATER, 1.0),))
    return JudgeStudy("scatter", phantom, ring_300(5.0 * n_rings), Physics())


def nema_body(
    *,
    hot: float = 4.0,
    background: float = 1.0,
    cold: tuple[int, ...] = (),
    length: float = 180.0,
    middle: float = 20.0,
) -> Phantom:
    """Return the body phantom of NEMA NU 2-2018, 7.3.2, with spheres and lung, 180 mm long.

    Its back is at +y. Spheres of 10 to 37 mm are 57.2 mm from the lung in the plane z = 0, 70 mm
    from the near end. Walls are omitted.

    Parameters
    ----------
    hot : concentration in the spheres
    background : concentration in the body
    cold : numbers of the spheres, from the smallest, that contain only water
    length, middle : length of the body and z of its centre [mm]. Decays outside the scanner give no
        trues, so a body as long as the scanner gives the same trues in less time
    """
    at = (0.0, 0.0, middle)
    body = [
        Region(cylinder(147, length, at=at), WATER, background),
        Region(box(320, 160, length + 2, at=(0, 80, middle))),
        Region(cylinder(77, length, at=(-70, 0, middle)), WATER, background),
        Region(cylinder(77, length, at=(70, 0, middle)), WATER, background),
        Region(box(140, 77, length, at=(0, 38.5, middle)), WATER, background),
        Region(cylinder(25, length, at=at), LUNG),
    ]
    for k, (radius, place) in enumerate(zip(NEMA_RADII_MM, nema_places_mm(), strict=True)):
        activity = 0.0 if k in cold else hot
        body.append(Region(sphere(radius, place), WATER, activity))
    return Phantom("NEMA NU 2 body", tuple(body))


NEMA_RADII_MM = (5.0, 6.5, 8.5, 11.0, 14.0, 18.5)


def nema_places_mm() -> tuple[Vector, ...]:
    """Return the centres of the spheres, from the smallest, 60 degrees apart."""
    angles = [math.radians(60 * k) for k in range(6)]
    return tuple((57.2 * math.cos(a), 57.2 * math.sin(a), 0.0) for a in angles)


def mouse_phantom() -> Phantom:
    """Return the image quality phantom of NEMA NU 4-2008, 6: 33.5 x 50 mm of PMMA.

    From −z: five rods of 1 to 5 mm, 20 mm long and 7 mm from the axis; then a uniform part of 30 mm
    with two chambers of 8 mm (10 with walls) in its last 15 mm, one of water and one of air.
    """
    rods = [
        Region(cylinder((k + 1) / 2, 20, at=(7 * math.cos(a), 7 * math.sin(a), -15)), WATER, 1.0)
        for k, a in enumerate(math.radians(72 * k) for k in range(5))
    ]
    chambers = [
        region
        for x, material in ((-7.5, WATER), (7.5, AIR))
        for region in (
            Region(cylinder(5, 15, at=(x, 0, 17.5)), PMMA),
            Region(cylinder(4, 15, at=(x, 0, 17.5)), material),
        )
    ]
    return Phantom(
        "NEMA NU 4 mouse",
        (
            Region(cylinder(16.75, 50), PMMA),
            Region(cylinder(15, 30, at=(0, 0, 10)), WATER, 1.0),
            *chambers,
            *rods,
        ),
    )


def scatter_phantom() -> Phantom:
    """Return the line source in polyethylene of NEMA NU 2-2018, 5.3 (203 x 700 mm, at −45 mm)."""
    line = Region(tube(0, 1.6, 700, at=(0, -45, 0)), POLYETHYLENE, 1.0)
    return Phantom("NEMA NU 2 scatter", (Region(cylinder(101.5, 700), POLYETHYLENE), line))


def points(*places_mm: Vector, radius_mm: float = 0.25) -> Phantom:
    """Return small sources in air with equal activity."""
    return Phantom("points", tuple(Region(sphere(radius_mm, p), activity=1.0) for p in places_mm))


PANELS = Scanner(
    n_modules=2,
    face_mm=30.0,
    across=(2, 8),
    along=(3, 8),
    pitch_mm=(2.4, 2.4),
    crystal_mm=(2.1, 2.1),
    first_deg=-90.0,
)
"""The demo panels: 24 rows and 16 columns of LSO crystals of 2.1 x 2.1 x 20 mm, 60 mm apart."""

PANEL_PHYSICS = Physics(window_kev=(350.0, 750.0), energy_fwhm=0.15)


def panel_balls() -> JudgeStudy:
    """Return a box between two panels with two balls of 20 times its activity and a cold one."""
    phantom = Phantom(
        "balls",
        (
            Region(box(30, 40, 48), WATER, 1.0),
            Region(sphere(2.4, (6, 0, 10)), WATER, 20.0),
            Region(sphere(4.0, (-6, 8, -10)), WATER, 20.0),
            Region(sphere(5.0, (4, -8, -4)), WATER, 0.0),
        ),
    )
    return JudgeStudy("panels", phantom, PANELS, PANEL_PHYSICS)
