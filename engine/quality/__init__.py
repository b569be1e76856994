"""Figures of merit of images."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.quality.derenzo import RESOLVED_BELOW as RESOLVED_BELOW
    from engine.quality.derenzo import valley_to_peak as valley_to_peak
    from engine.quality.fitted_width import PeakWidth as PeakWidth
    from engine.quality.fitted_width import peak_width as peak_width
    from engine.quality.line_profile import LineProfile as LineProfile
    from engine.quality.line_profile import profile_along as profile_along
    from engine.simulate.phantoms import derenzo_sectors as derenzo_sectors

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.quality.derenzo": (
                "RESOLVED_BELOW",
                "valley_to_peak",
            ),
            "engine.quality.fitted_width": (
                "PeakWidth",
                "peak_width",
            ),
            "engine.quality.line_profile": (
                "LineProfile",
                "profile_along",
            ),
            "engine.simulate.phantoms": ("derenzo_sectors",),
        },
    )
