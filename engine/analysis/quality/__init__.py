"""Figures of merit of images."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.analysis.quality.calibrating import MAX_ERROR_PERCENT as MAX_ERROR_PERCENT
    from engine.analysis.quality.compare import over_error as over_error
    from engine.analysis.quality.curved_reformat import CurvedPlane as CurvedPlane
    from engine.analysis.quality.curved_reformat import curve_through as curve_through
    from engine.analysis.quality.curved_reformat import curved_plane as curved_plane
    from engine.analysis.quality.cylinder import UprightCylinder as UprightCylinder
    from engine.analysis.quality.cylinder_activity import CylinderActivity as CylinderActivity
    from engine.analysis.quality.cylinder_activity import calibrate_with as calibrate_with
    from engine.analysis.quality.derenzo import RESOLVED_BELOW as RESOLVED_BELOW
    from engine.analysis.quality.derenzo import valley_to_peak as valley_to_peak
    from engine.analysis.quality.fitted_width import PeakWidth as PeakWidth
    from engine.analysis.quality.fitted_width import peak_width as peak_width
    from engine.analysis.quality.line_profile import LineProfile as LineProfile
    from engine.analysis.quality.line_profile import profile_along as profile_along
    from engine.analysis.quality.phantoms import QUALITY_PHANTOMS as QUALITY_PHANTOMS
    from engine.analysis.quality.phantoms import PhantomFacts as PhantomFacts
    from engine.analysis.quality.phantoms import QualityPhantom as QualityPhantom
    from engine.analysis.quality.quality_report import QualityReport as QualityReport
    from engine.analysis.quality.report_pages import report_bytes as report_bytes
    from engine.analysis.quality.report_pages import to_png as to_png
    from engine.analysis.quality.report_pages import with_source as with_source
    from engine.analysis.quality.suv import SUV_TITLES as SUV_TITLES
    from engine.analysis.quality.suv import SuvKind as SuvKind
    from engine.analysis.quality.suv_volume import in_suv as in_suv
    from engine.analysis.quality.suv_volume import why_no_suv as why_no_suv
    from engine.analysis.quality.time_curves import TimeCurve as TimeCurve
    from engine.analysis.quality.time_curves import time_curve as time_curve
    from engine.analysis.quality.tracer_check import TracerCheck as TracerCheck
    from engine.analysis.quality.tracer_check import check_tracer as check_tracer
    from engine.simulate.phantoms import derenzo_sectors as derenzo_sectors

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "compare": ("over_error",),
            "calibrating": ("MAX_ERROR_PERCENT",),
            "curved_reformat": ("CurvedPlane", "curve_through", "curved_plane"),
            "cylinder": ("UprightCylinder",),
            "cylinder_activity": ("CylinderActivity", "calibrate_with"),
            "derenzo": (
                "RESOLVED_BELOW",
                "valley_to_peak",
            ),
            "fitted_width": (
                "PeakWidth",
                "peak_width",
            ),
            "line_profile": (
                "LineProfile",
                "profile_along",
            ),
            "phantoms": ("QUALITY_PHANTOMS", "PhantomFacts", "QualityPhantom"),
            "quality_report": ("QualityReport",),
            "report_pages": ("report_bytes", "to_png", "with_source"),
            "suv": ("SUV_TITLES", "SuvKind"),
            "suv_volume": ("in_suv", "why_no_suv"),
            "time_curves": (
                "TimeCurve",
                "time_curve",
            ),
            "tracer_check": ("TracerCheck", "check_tracer"),
            "engine.simulate.phantoms": ("derenzo_sectors",),
        },
    )
