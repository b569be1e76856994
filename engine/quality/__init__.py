"""Figures of merit of images."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.quality.calibrating import MOST_ERROR_PERCENT as MOST_ERROR_PERCENT
    from engine.quality.curved_reformat import CurvedPlane as CurvedPlane
    from engine.quality.curved_reformat import curve_through as curve_through
    from engine.quality.curved_reformat import curved_plane as curved_plane
    from engine.quality.cylinder import UprightCylinder as UprightCylinder
    from engine.quality.cylinder_activity import CylinderActivity as CylinderActivity
    from engine.quality.cylinder_activity import calibrate_with as calibrate_with
    from engine.quality.derenzo import RESOLVED_BELOW as RESOLVED_BELOW
    from engine.quality.derenzo import valley_to_peak as valley_to_peak
    from engine.quality.fitted_width import PeakWidth as PeakWidth
    from engine.quality.fitted_width import peak_width as peak_width
    from engine.quality.line_profile import LineProfile as LineProfile
    from engine.quality.line_profile import profile_along as profile_along
    from engine.quality.over_time import TimeCurve as TimeCurve
    from engine.quality.over_time import time_curve as time_curve
    from engine.quality.phantoms import QUALITY_PHANTOMS as QUALITY_PHANTOMS
    from engine.quality.phantoms import PhantomFacts as PhantomFacts
    from engine.quality.phantoms import QualityPhantom as QualityPhantom
    from engine.quality.quality_report import QualityReport as QualityReport
    from engine.quality.report_pages import report_bytes as report_bytes
    from engine.quality.report_pages import to_png as to_png
    from engine.quality.report_pages import with_source as with_source
    from engine.quality.suv import SUV_TITLES as SUV_TITLES
    from engine.quality.suv import SuvKind as SuvKind
    from engine.quality.suv_volume import in_suv as in_suv
    from engine.quality.suv_volume import why_no_suv as why_no_suv
    from engine.quality.tracer_check import TracerCheck as TracerCheck
    from engine.quality.tracer_check import check_tracer as check_tracer
    from engine.simulate.phantoms import derenzo_sectors as derenzo_sectors

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.quality.calibrating": ("MOST_ERROR_PERCENT",),
            "engine.quality.curved_reformat": ("CurvedPlane", "curve_through", "curved_plane"),
            "engine.quality.cylinder": ("UprightCylinder",),
            "engine.quality.cylinder_activity": ("CylinderActivity", "calibrate_with"),
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
            "engine.quality.phantoms": ("QUALITY_PHANTOMS", "PhantomFacts", "QualityPhantom"),
            "engine.quality.quality_report": ("QualityReport",),
            "engine.quality.report_pages": ("report_bytes", "to_png", "with_source"),
            "engine.quality.suv": ("SUV_TITLES", "SuvKind"),
            "engine.quality.suv_volume": ("in_suv", "why_no_suv"),
            "engine.quality.over_time": (
                "TimeCurve",
                "time_curve",
            ),
            "engine.quality.tracer_check": ("TracerCheck", "check_tracer"),
            "engine.simulate.phantoms": ("derenzo_sectors",),
        },
    )
