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
"""The choices: label and meaning."""


@dataclass(frozen=True)
class LiveRequest:
    """A source and how its scan is followed.

    Attributes
    ----------
    source : address, folder or file
    geometry : a stored scan of the same geometry; None: the source brings its own
    mode, turn : which views are in the slices
    replay : whether a stored scan is played
    rate : frames in a second of a replay; None: as fast as they are taken
    finds_axis : whether the axis of rotation is looked for at the end
    """

    source: str
    geometry: Path | None = None
    mode: Mode = "growing"
    turn: Turn = "full"
    replay: bool = False
    rate: float | None = None
    finds_axis: bool = False


def begin(request: LiveRequest, protocol: CtProtocol, loader: Loader) -> LiveSession:
    """Open the source and begin to follow it; for a thread, since a stored scan may be read.

    Raises
    ------
    EngineError
        where there is no such source, or no such scan
    """
    from engine.core.backend import cpu
    from engine.live import (
        LiveSession,
        SourceOptions,
        choices_of,
        geometry_of,
        open_source,
    )

    options = SourceOptions(replay=request.replay, rate=request.rate, loader=loader)
    source = open_source(request.source.strip(), options)
    geometry = None if request.geometry is None else geometry_of(request.geometry, loader)
    choices = choices_of(protocol, live_settings(request), geometry)
    return LiveSession(source, choices, on=cpu(), stays=True)


def live_settings(request: LiveRequest) -> LiveSettings:
    """Return which views are in the slices."""
    from engine.live import LiveSettings

    return LiveSettings(mode=request.mode, turn=request.turn, preview_edge=0)
