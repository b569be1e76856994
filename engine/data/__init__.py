"""Measurements and volumes: plain frozen values, no maths."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.data.calibration import Calibration as Calibration
    from engine.data.input_role import InputRole as InputRole
    from engine.data.input_role import Making as Making
    from engine.data.moving import moved as moved
    from engine.data.moving import values_at as values_at
    from engine.data.projections import Kind as Kind
    from engine.data.projections import Projections as Projections
    from engine.data.readable import number_text as number_text
    from engine.data.readable import power_of as power_of
    from engine.data.readable import power_text as power_text
    from engine.data.readable import quantity as quantity
    from engine.data.readable import scaled_number as scaled_number
    from engine.data.readable import unit_text as unit_text
    from engine.data.run_record import Level as Level
    from engine.data.run_record import RecordedRun as RecordedRun
    from engine.data.scatter_profile import ScatterProfile as ScatterProfile
    from engine.data.time_frames import FrameVolume as FrameVolume
    from engine.data.time_frames import TimeFrame as TimeFrame
    from engine.data.time_frames import bids_times as bids_times
    from engine.data.tracer import Tracer as Tracer
    from engine.data.volume import Volume as Volume
    from engine.plain import Plain as Plain

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.data.calibration": ("Calibration",),
            "engine.data.input_role": ("InputRole", "Making"),
            "engine.data.moving": (
                "moved",
                "values_at",
            ),
            "engine.data.projections": (
                "Kind",
                "Projections",
            ),
            "engine.data.readable": (
                "number_text",
                "power_of",
                "power_text",
                "scaled_number",
                "unit_text",
                "quantity",
            ),
            "engine.data.run_record": ("Level", "RecordedRun"),
            "engine.data.scatter_profile": ("ScatterProfile",),
            "engine.data.time_frames": (
                "FrameVolume",
                "TimeFrame",
                "bids_times",
            ),
            "engine.data.tracer": ("Tracer",),
            "engine.data.volume": ("Volume",),
            "engine.plain": ("Plain",),
        },
    )
