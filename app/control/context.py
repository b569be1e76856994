"""What every panel is given: the state, what the user can do, colours, memory."""

from __future__ import annotations

from dataclasses import dataclass

from app.control.commands import Commands
from app.control.previews import Previews
from app.control.queue_commands import QueueCommands
from app.control.result_commands import ResultCommands
from app.control.volume_commands import VolumeCommands
from app.look.theme import Theme
from app.models.preferences import Preferences
from app.models.session import Session


@dataclass(frozen=True)
class AppContext:
    """Session, commands, theme, preferences, previews, results, volumes and queue of one window."""

    session: Session
    commands: Commands
    theme: Theme
    preferences: Preferences
    previews: Previews
    results: ResultCommands
    volumes: VolumeCommands
    queue: QueueCommands
