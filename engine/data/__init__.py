"""Data classes of measurements and volumes."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.core.json_types import Plain as Plain
    from engine.data.calibration import Calibration as Calibration
    from engine.data.error_volume import are_paired as are_paired
    from engine.data.error_volume import deviations_of as deviations_of
    from engine.data.error_volume import paired_deviations_of as paired_deviations_of
    from engine.data.error_volume import relative_deviations_of as relative_deviations_of
    from engine.data.formatting import NO_BREAK as NO_BREAK
    from engine.data.formatting import decimals_for as decimals_for
    from engine.data.formatting import error_text as error_text
    from engine.data.formatting import number_text as number_text
    from engine.data.formatting import power_of as power_of
    from engine.data.formatting import power_text as power_text
    from engine.data.formatting import quantity as quantity
    from engine.data.formatting import scaled_number as scaled_number
    from engine.data.formatting import unbroken as unbroken
    from engine.data.formatting import unit_text as unit_text
    from engine.data.input_role import InputRole as InputRole
    from engine.data.input_role import Making as Making
    from engine.data.projections import Kind as Kind
    from engine.data.projections import Projections as Projections
    from engine.data.rigid_resampling import moved as moved
    from engine.data.rigid_resampling import values_at as values_at
    from engine.data.runs.record import Level as Level
    from engine.data.runs.record import RecordedRun as RecordedRun
    from engine.data.scatter_profile import ScatterProfile as ScatterProfile
    from engine.data.timing.time_frames import FrameVolume as FrameVolume
    from engine.data.timing.time_frames import TimeFrame as TimeFrame
    from engine.data.timing.time_frames import bids_times as bids_times
    from engine.data.timing.time_frames import info_of_frame as info_of_frame
    from engine.data.timing.tracer import Tracer as Tracer
    from engine.data.volume import Volume as Volume

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "calibration": ("Calibration",),
            "error_volume": (
                "are_paired",
                "deviations_of",
                "paired_deviations_of",
                "relative_deviations_of",
            ),
            "input_role": ("InputRole", "Making"),
            "rigid_resampling": (
                "moved",
                "values_at",
            ),
            "projections": (
                "Kind",
                "Projections",
            ),
            "formatting": (
                "NO_BREAK",
                "decimals_for",
                "error_text",
                "unbroken",
                "number_text",
                "power_of",
                "power_text",
                "scaled_number",
                "unit_text",
                "quantity",
            ),
            "engine.data.runs.record": ("Level", "RecordedRun"),
            "scatter_profile": ("ScatterProfile",),
            "engine.data.timing.time_frames": (
                "FrameVolume",
                "TimeFrame",
                "bids_times",
                "info_of_frame",
            ),
            "engine.data.timing.tracer": ("Tracer",),
            "volume": ("Volume",),
            "engine.core.json_types": ("Plain",),
        },
    )
