"""Phantoms of the quality report, one file for each kind."""

from engine.analysis.quality.phantoms.base import PhantomFacts, QualityPhantom
from engine.analysis.quality.phantoms.ct_resolution import CtEdge, CtWire
from engine.analysis.quality.phantoms.ct_water import CtWater
from engine.analysis.quality.phantoms.nema_nu2 import NemaNu2
from engine.analysis.quality.phantoms.nema_nu4 import NemaNu4
from engine.analysis.quality.phantoms.nema_points import NemaPoints
from engine.analysis.quality.phantoms.uniform import PetCylinder

QUALITY_PHANTOMS: tuple[QualityPhantom, ...] = (
    NemaNu2(),
    NemaNu4(),
    NemaPoints(),
    PetCylinder(),
    CtWater(),
    CtEdge(),
    CtWire(),
)

__all__ = ["QUALITY_PHANTOMS", "PetCylinder", "PhantomFacts", "QualityPhantom"]
