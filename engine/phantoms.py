"""Phantoms with exact line integrals.

Lengths are in mm, activity is relative, attenuation is in 1/mm.

Examples
--------
>>> import engine
>>> cylinder = engine.phantoms.uniform_cylinder(diameter_mm=200, length_mm=200)
>>> volume = cylinder.rasterise(engine.ImageGrid((4, 60, 60), (4, 4, 4)))
>>> volume.values.shape
(4, 60, 60)
"""

from engine.simulate import (
    PHANTOMS,
    Phantom,
    ShapePhantom,
    VoxelPhantom,
    brain,
    cylinder_with_spheres,
    derenzo,
    from_volumes,
    jaw,
    mni_brain,
    point,
    shepp_logan,
    thorax,
    three_line_sources,
    tooth,
    uniform_cylinder,
)

__all__ = [
    "PHANTOMS",
    "Phantom",
    "ShapePhantom",
    "VoxelPhantom",
    "brain",
    "cylinder_with_spheres",
    "derenzo",
    "from_volumes",
    "jaw",
    "mni_brain",
    "point",
    "shepp_logan",
    "thorax",
    "three_line_sources",
    "tooth",
    "uniform_cylinder",
]
