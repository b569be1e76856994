"""The objects that every panel receives: state, actions, colours, preferences."""

from __future__ import annotations

from dataclasses import dataclass

from app.state.models.preferences import Preferences
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.previews import Previews
from app.state.services.queueing.queue_commands import QueueCommands
from app.state.services.result_commands import ResultCommands
from app.state.services.unfinished_work import UnfinishedWork
from app.state.services.volume_commands import VolumeCommands
from app.ui.theme.theme import Theme


@dataclass(frozen=True)
class AppContext:
    """State and actions of one window."""

    session: Session
    commands: Commands
    theme: Theme
    preferences: Preferences
    previews: Previews
    results: ResultCommands
    volumes: VolumeCommands
    queue: QueueCommands
    unfinished: UnfinishedWork
