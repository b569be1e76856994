"""The request to follow a list-mode scan: source and time range of the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.language.translation import tr

if TYPE_CHECKING:
    from engine.jobs import Loader
    from engine.live import LivePetSession, LivePetSettings
    from engine.modalities import ListModeProtocol

EVENTS: tuple[tuple[str, float | None], ...] = (
    (tr("All events from the start"), None),
    (tr("Last 5 s"), 5.0),
    (tr("Last 10 s"), 10.0),
    (tr("Last 30 s"), 30.0),
    (tr("Last 60 s"), 60.0),
)
"""The choices: label and duration [s]."""


@dataclass(frozen=True)
class PetRequest:
    """A source and which of its events are in the image.

    Attributes
    ----------
    source : address or file
    scanner : its name or file, where the source does not say; "" if it does
    newest_s : seconds of the image; None: all events, which are kept
    rate : seconds of a stored scan that are played in a second; None: it is being measured
    files : further files, such as a μ-map, by the keys of their roles
    protocol : of the image; None: that of the study at hand
    """

    source: str
    scanner: str = ""
    newest_s: float | None = None
    rate: float | None = None
    files: Mapping[str, Path] = field(default_factory=dict)
    protocol: ListModeProtocol | None = None


def begin_pet(request: PetRequest, protocol: ListModeProtocol, loader: Loader) -> LivePetSession:
    """Open the source and begin to follow it; for a thread.

    Raises
    ------
    EngineError
        where there is no such source
    """
    from engine.core.backend import cpu
    from engine.live import (
        LivePetChoices,
        LivePetSession,
        SourceOptions,
        attaching,
        open_events,
    )

    options = SourceOptions(replay=request.rate is not None, rate=request.rate, loader=loader)
    source = open_events(request.source.strip(), options, request.scanner or None)
    choices = LivePetChoices(protocol, pet_settings(request), attaching(request.files))
    return LivePetSession(source, choices, on=cpu())


def pet_settings(request: PetRequest) -> LivePetSettings:
    """Return which events are in the image."""
    from engine.live import LivePetSettings

    if request.newest_s is None:
        return LivePetSettings(mode="growing")
    return LivePetSettings(mode="sliding", newest_s=request.newest_s)
