"""The request to follow an X-ray scan: source, geometry, views."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.language.translation import tr

if TYPE_CHECKING:
    from engine.jobs import Loader
    from engine.live import LiveSession, LiveSettings
    from engine.modalities import CtProtocol

Mode = Literal["growing", "sliding"]
Turn = Literal["half", "full"]
MODES: tuple[tuple[str, Mode, Turn], ...] = (
    (tr("All views from the start"), "growing", "full"),
    (tr("Last full rotation"), "sliding", "full"),
    (tr("Last half rotation"), "sliding", "half"),
)
"""Choices of the form: label, mode and turn."""


@dataclass(frozen=True)
class LiveRequest:
    """Request to follow an X-ray scan.

    Attributes
    ----------
    source : address, folder or file
    geometry : stored scan with the same geometry; None: the source states its geometry
    mode, turn : views in the slices
    replay : True to play a stored scan
    rate : frames per second of a replay; None: as fast as possible
    finds_axis : True to search the rotation axis at the end
    network : True to accept senders on other computers
    sender_keys : public keys of the senders that are accepted, or a file of keys
    sender : token, key or address of the only sender that is accepted; empty: the first one
    """

    source: str
    geometry: Path | None = None
    mode: Mode = "growing"
    turn: Turn = "full"
    replay: bool = False
    rate: float | None = None
    finds_axis: bool = False
    network: bool = False
    sender_keys: tuple[str, ...] = ()
    sender: str = ""


def begin(request: LiveRequest, protocol: CtProtocol, loader: Loader) -> LiveSession:
    """Open the source and follow it; called in a thread, because it may read a stored scan.

    Parameters
    ----------
    request
        source and options
    protocol
        protocol of the slices
    loader
        process that reads files of other programs

    Raises
    ------
    EngineError
        if the source or the scan with the geometry cannot be opened
    """
    # Imported in the thread: loading the kernels takes seconds.
    from engine.core.backend import cpu
    from engine.live import (
        LiveRecorder,
        LiveSession,
        SourceOptions,
        choices_of,
        geometry_of,
        open_source,
    )

    geometry = None if request.geometry is None else geometry_of(request.geometry, loader)
    options = SourceOptions(
        replay=request.replay,
        rate=request.rate,
        loader=loader,
        network=request.network,
        sender_keys=request.sender_keys,
        sender=request.sender,
        frame_shape=None if geometry is None else geometry.shape,
    )
    source = open_source(request.source.strip(), options)
    choices = choices_of(protocol, live_settings(request), geometry)
    # A replay is on disk already, and a sliding window keeps no complete scan.
    is_recorded = request.mode == "growing" and not request.replay
    recorder = LiveRecorder("frames", source.name) if is_recorded else None
    # `stays`: slices can still be moved after the source has ended.
    return LiveSession(source, choices, on=cpu(), stays=True, recorder=recorder)


def live_settings(request: LiveRequest) -> LiveSettings:
    """Return the settings of a live session from a request."""
    from engine.live import LiveSettings

    return LiveSettings(mode=request.mode, turn=request.turn, preview_edge=0)
