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
"""Choices of the form: label and duration [s]; None: all events."""


@dataclass(frozen=True)
class PetRequest:
    """Request to follow a list-mode scan.

    Attributes
    ----------
    source : address or file
    scanner : name or file of the scanner; empty if the source states it
    newest_s : duration of the events in the image [s]; None: all events, which stay in memory
    rate : playback speed relative to the original; None: a live scan
    files : auxiliary files, such as a μ-map, by role
    protocol : protocol of the image; None: that of the current study
    network : True to accept senders on other computers
    sender_keys : public keys of the senders that are accepted, or a file of keys
    sender : token, key or address of the only sender that is accepted; empty: the first one
    """

    source: str
    scanner: str = ""
    newest_s: float | None = None
    rate: float | None = None
    files: Mapping[str, Path] = field(default_factory=dict)
    protocol: ListModeProtocol | None = None
    network: bool = False
    sender_keys: tuple[str, ...] = ()
    sender: str = ""


def begin_pet(request: PetRequest, protocol: ListModeProtocol, loader: Loader) -> LivePetSession:
    """Open the source and follow it; called in a thread.

    Parameters
    ----------
    request
        source and options
    protocol
        protocol of the image
    loader
        process that reads files of other programs

    Raises
    ------
    EngineError
        if the source or a file cannot be opened
    """
    from engine.core.backend import cpu
    from engine.live import (
        LivePetChoices,
        LivePetSession,
        LiveRecorder,
        SourceOptions,
        attaching,
        open_events,
    )

    # A playback speed only makes sense for a stored scan.
    options = SourceOptions(
        replay=request.rate is not None,
        rate=request.rate,
        loader=loader,
        network=request.network,
        sender_keys=request.sender_keys,
        sender=request.sender,
    )
    source = open_events(request.source.strip(), options, request.scanner or None)
    choices = LivePetChoices(protocol, pet_settings(request), attaching(request.files))
    # A replay is on disk already, and a sliding time window keeps no complete scan.
    is_recorded = request.newest_s is None and request.rate is None
    recorder = LiveRecorder("events", source.name) if is_recorded else None
    return LivePetSession(source, choices, on=cpu(), recorder=recorder)


def pet_settings(request: PetRequest) -> LivePetSettings:
    """Return the settings of a live session from a request."""
    from engine.live import LivePetSettings

    if request.newest_s is None:
        return LivePetSettings(mode="growing")
    return LivePetSettings(mode="sliding", newest_s=request.newest_s)
