"""Geometry: grids, scanners, orbits, time-of-flight bins."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.geometry.dual_head import DualHead as DualHead
    from engine.geometry.grid import ImageGrid as ImageGrid
    from engine.geometry.grid import Point as Point
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
    from engine.geometry.scanner import Scanner as Scanner
    from engine.geometry.xray import XrayGeometry as XrayGeometry

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "dual_head": ("DualHead",),
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
            "ring": ("RingScanner",),
            "rigid_motion": (
                "RigidMotion",
                "motion_of",
            ),
            "scanner": ("Scanner",),
            "xray": ("XrayGeometry",),
        },
    )
