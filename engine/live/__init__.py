"""Scans while they are measured: sources of frames, slices that follow them, what is kept."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.filtering.settings import FilterSettings as FilterSettings
    from engine.live.choosing import choices_of as choices_of
    from engine.live.choosing import geometry_of as geometry_of
    from engine.live.following import LiveChoices as LiveChoices
    from engine.live.following import LiveUpdate as LiveUpdate
    from engine.live.frame import Ended as Ended
    from engine.live.frame import Frame as Frame
    from engine.live.frame import Gone as Gone
    from engine.live.frame import Resumed as Resumed
    from engine.live.frame import ShapeChanged as ShapeChanged
    from engine.live.frame import SourceEvent as SourceEvent
    from engine.live.frame import Waiting as Waiting
    from engine.live.images import LiveImages as LiveImages
    from engine.live.opening import SourceOptions as SourceOptions
    from engine.live.opening import open_source as open_source
    from engine.live.provenance import LiveOrigin as LiveOrigin
    from engine.live.provenance import provenance_of as provenance_of
    from engine.live.session import LiveSession as LiveSession
    from engine.live.settings import LiveSettings as LiveSettings
    from engine.live.source import FrameSource as FrameSource
    from engine.live.statistics import LiveStatistics as LiveStatistics

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.filtering.settings": ("FilterSettings",),
            "choosing": ("choices_of", "geometry_of"),
            "following": ("LiveChoices", "LiveUpdate"),
            "frame": (
                "Ended",
                "Frame",
                "Gone",
                "Resumed",
                "ShapeChanged",
                "SourceEvent",
                "Waiting",
            ),
            "opening": ("SourceOptions", "open_source"),
            "provenance": ("LiveOrigin", "provenance_of"),
            "session": ("LiveSession",),
            "settings": ("LiveSettings",),
            "images": ("LiveImages",),
            "source": ("FrameSource",),
            "statistics": ("LiveStatistics",),
        },
    )
