"""Watch for motion in the events of one source."""

from __future__ import annotations

from collections.abc import Callable

from engine.data.listmode import ListMode
from engine.live.core.frame import SourceEvent
from engine.live.pet.activity_moments import Place
from engine.live.pet.motion import Motion, MotionWatch
from engine.live.pet.updates import Moved


class Watching:
    """Reports motions of the object.

    Parameters
    ----------
    name : name of the source
    is_on : True to watch for motion
    report : called with each motion, when it is detected and when its size is final

    Attributes
    ----------
    motions : motions, the oldest first
    """

    def __init__(self, name: str, is_on: bool, report: Callable[[SourceEvent], None]) -> None:
        self._name, self._report = name, report
        self._watch = MotionWatch() if is_on else None
        self.motions: list[Motion] = []

    @property
    def place(self) -> Place | None:
        """Position of the activity in the newest second, None without motion watch."""
        return None if self._watch is None else self._watch.place

    def restart(self) -> None:
        """Discard the previous scan."""
        self.motions = []
        if self._watch is not None:
            self._watch.restart()

    def add(self, events: ListMode) -> None:
        """Add events.

        Parameters
        ----------
        events
            events with times, in their order
        """
        for motion in [] if self._watch is None else self._watch.add(events):
            text = motion.describe()
            # The final size replaces the preliminary one of the same motion
            if motion.is_measured and self.motions:
                self.motions[-1] = motion
                text = f"{self._name}: the object has moved {text}, measured over 2 s."
            else:
                self.motions.append(motion)
                text = f"{self._name}: the object is moving, so far {text}."
            self._report(Moved(text, motion))
