"""Reconstruct scans during their acquisition: sources, live slices and images, recorded scans."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.live.conversion import convert_recording as convert_recording
    from engine.live.core.frame import Ended as Ended
    from engine.live.core.frame import Frame as Frame
    from engine.live.core.frame import Resumed as Resumed
    from engine.live.core.frame import ShapeChanged as ShapeChanged
    from engine.live.core.frame import SourceEvent as SourceEvent
    from engine.live.core.frame import SourceLost as SourceLost
    from engine.live.core.frame import Waiting as Waiting
    from engine.live.core.senders import RefusedSender as RefusedSender
    from engine.live.core.source import FrameSource as FrameSource
    from engine.live.core.source import HasSenders as HasSenders
    from engine.live.core.stream_keys import stream_key as stream_key
    from engine.live.ct.following import LiveChoices as LiveChoices
    from engine.live.ct.following import LiveUpdate as LiveUpdate
    from engine.live.ct.images import LiveImages as LiveImages
    from engine.live.ct.opening import SourceOptions as SourceOptions
    from engine.live.ct.opening import open_source as open_source
    from engine.live.ct.protocol_choices import choices_of as choices_of
    from engine.live.ct.protocol_choices import geometry_of as geometry_of
    from engine.live.ct.provenance import LiveOrigin as LiveOrigin
    from engine.live.ct.provenance import provenance_of as provenance_of
    from engine.live.ct.session import LiveSession as LiveSession
    from engine.live.ct.settings import LiveSettings as LiveSettings
    from engine.live.ct.statistics import LiveStatistics as LiveStatistics
    from engine.live.pet.opening import attaching as attaching
    from engine.live.pet.opening import open_events as open_events
    from engine.live.pet.session import LivePetSession as LivePetSession
    from engine.live.pet.settings import LivePetSettings as LivePetSettings
    from engine.live.pet.statistics import LivePetStatistics as LivePetStatistics
    from engine.live.pet.updates import LivePetChoices as LivePetChoices
    from engine.live.pet.updates import LivePetUpdate as LivePetUpdate
    from engine.live.recording.recorder import LiveRecorder as LiveRecorder
    from engine.live.recording.recording_list import Unfinished as Unfinished
    from engine.live.recording.recording_list import remove_recording as remove_recording
    from engine.live.recording.recording_list import unfinished_recordings as unfinished_recordings
    from engine.recon.filtering.settings import FilterSettings as FilterSettings

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.recon.filtering.settings": ("FilterSettings",),
            "engine.live.conversion": ("convert_recording",),
            "engine.live.recording.recorder": ("LiveRecorder",),
            "engine.live.recording.recording_list": (
                "Unfinished",
                "remove_recording",
                "unfinished_recordings",
            ),
            "engine.live.ct.protocol_choices": ("choices_of", "geometry_of"),
            "engine.live.ct.following": ("LiveChoices", "LiveUpdate"),
            "engine.live.core.frame": (
                "Ended",
                "Frame",
                "SourceLost",
                "Resumed",
                "ShapeChanged",
                "SourceEvent",
                "Waiting",
            ),
            "engine.live.ct.opening": ("SourceOptions", "open_source"),
            "engine.live.pet.opening": ("attaching", "open_events"),
            "engine.live.pet.session": ("LivePetSession",),
            "engine.live.pet.settings": ("LivePetSettings",),
            "engine.live.pet.updates": ("LivePetChoices", "LivePetUpdate"),
            "engine.live.ct.provenance": ("LiveOrigin", "provenance_of"),
            "engine.live.ct.session": ("LiveSession",),
            "engine.live.ct.settings": ("LiveSettings",),
            "engine.live.ct.images": ("LiveImages",),
            "engine.live.core.senders": ("RefusedSender",),
            "engine.live.core.source": ("FrameSource", "HasSenders"),
            "engine.live.core.stream_keys": ("stream_key",),
            "engine.live.ct.statistics": ("LiveStatistics",),
            "engine.live.pet.statistics": ("LivePetStatistics",),
        },
    )
