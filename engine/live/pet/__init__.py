"""Reconstruct list-mode PET during the acquisition, and watch for motion."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.live.pet.event_batch import EventSource as EventSource
    from engine.live.pet.motion import Motion as Motion
    from engine.live.pet.session import LivePetSession as LivePetSession
    from engine.live.pet.settings import LivePetSettings as LivePetSettings
    from engine.live.pet.sources.event_replay import EventReplaySource as EventReplaySource
    from engine.live.pet.sources.event_stream import EventStreamSource as EventStreamSource
    from engine.live.pet.statistics import LivePetStatistics as LivePetStatistics
    from engine.live.pet.updates import LivePetChoices as LivePetChoices
    from engine.live.pet.updates import LivePetUpdate as LivePetUpdate
    from engine.live.pet.updates import Moved as Moved

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "event_batch": ("EventSource",),
            "motion": ("Motion",),
            "session": ("LivePetSession",),
            "settings": ("LivePetSettings",),
            "engine.live.pet.sources.event_replay": ("EventReplaySource",),
            "engine.live.pet.sources.event_stream": ("EventStreamSource",),
            "statistics": ("LivePetStatistics",),
            "updates": ("LivePetChoices", "LivePetUpdate", "Moved"),
        },
    )
