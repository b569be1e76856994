"""Geometry: grids, scanners, orbits, time-of-flight bins.

Examples
--------
>>> import numpy as np
>>> import engine
>>> angles_rad = np.linspace(0, np.pi, 180, endpoint=False)
>>> scan = engine.geometry.parallel(angles_rad, shape=(1, 128), pixel_mm=0.5)
>>> len(scan.source_mm)
180
"""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.geometry.crystal_map import CrystalMap as CrystalMap
    from engine.geometry.dual_head import DualHead as DualHead
    from engine.geometry.dual_head import DualHeadSettings as DualHeadSettings
    from engine.geometry.grid import ImageGrid as ImageGrid
    from engine.geometry.grid import Point as Point
    from engine.geometry.orbits import circular_cone as circular_cone
    from engine.geometry.orbits import fan as fan
    from engine.geometry.orbits import from_astra_vectors as from_astra_vectors
    from engine.geometry.orbits import helical as helical
    from engine.geometry.orbits import parallel as parallel
    from engine.geometry.orbits import to_astra_vectors as to_astra_vectors
    from engine.geometry.patient_planes import PLANES as PLANES
    from engine.geometry.patient_planes import Convention as Convention
    from engine.geometry.patient_planes import Direction as Direction
    from engine.geometry.patient_planes import Edges as Edges
    from engine.geometry.patient_planes import Orientation as Orientation
    from engine.geometry.patient_planes import PlaneName as PlaneName
    from engine.geometry.patient_planes import Rect as Rect
    from engine.geometry.patient_planes import orientation as orientation
    from engine.geometry.patient_planes import plane_across as plane_across
    from engine.geometry.plane import Plane as Plane
    from engine.geometry.rigid_motion import RigidMotion as RigidMotion
    from engine.geometry.rigid_motion import motion_of as motion_of
    from engine.geometry.ring import RingScanner as RingScanner
    from engine.geometry.ring import RingSettings as RingSettings
    from engine.geometry.scanner import Scanner as Scanner
    from engine.geometry.tof import TofSettings as TofSettings
    from engine.geometry.xray import XrayGeometry as XrayGeometry

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "crystal_map": ("CrystalMap",),
            "dual_head": ("DualHead", "DualHeadSettings"),
            "orbits": (
                "circular_cone",
                "fan",
                "from_astra_vectors",
                "helical",
                "parallel",
                "to_astra_vectors",
            ),
            "patient_planes": (
                "Convention",
                "Direction",
                "Edges",
                "Orientation",
                "PLANES",
                "PlaneName",
                "Rect",
                "orientation",
                "plane_across",
            ),
            "plane": ("Plane",),
            "grid": (
                "ImageGrid",
                "Point",
            ),
            "ring": ("RingScanner", "RingSettings"),
            "rigid_motion": (
                "RigidMotion",
                "motion_of",
            ),
            "scanner": ("Scanner",),
            "tof": ("TofSettings",),
            "xray": ("XrayGeometry",),
        },
    )
