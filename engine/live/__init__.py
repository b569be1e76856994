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
    from engine.live.pet.opening import attaching as attaching
    from engine.live.pet.opening import open_events as open_events
    from engine.live.pet.session import LivePetSession as LivePetSession
    from engine.live.pet.settings import LivePetSettings as LivePetSettings
    from engine.live.pet.statistics import LivePetStatistics as LivePetStatistics
    from engine.live.pet.updates import LivePetChoices as LivePetChoices
    from engine.live.pet.updates import LivePetUpdate as LivePetUpdate
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
            "engine.live.pet.opening": ("attaching", "open_events"),
            "engine.live.pet.session": ("LivePetSession",),
            "engine.live.pet.settings": ("LivePetSettings",),
            "engine.live.pet.updates": ("LivePetChoices", "LivePetUpdate"),
            "provenance": ("LiveOrigin", "provenance_of"),
            "session": ("LiveSession",),
            "settings": ("LiveSettings",),
            "images": ("LiveImages",),
            "source": ("FrameSource",),
            "statistics": ("LiveStatistics",),
            "engine.live.pet.statistics": ("LivePetStatistics",),
        },
    )
