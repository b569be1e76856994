"""The watch for motion of one source, and what it has found."""

from __future__ import annotations

from collections.abc import Callable

from engine.data.listmode import ListMode
from engine.live.core.frame import SourceEvent
from engine.live.pet.activity_moments import Place
from engine.live.pet.motion import Motion, MotionWatch
from engine.live.pet.updates import Moved


class Watching:
    """Says when the object moves.

    Parameters
    ----------
    name : of the source
    is_on : whether motion is watched for
    say : called with each motion, when it is seen and when its size is measured

    Attributes
    ----------
    motions : the oldest first
    """

    def __init__(self, name: str, is_on: bool, say: Callable[[SourceEvent], None]) -> None:
        self._name, self._say = name, say
        self._watch = MotionWatch() if is_on else None
        self.motions: list[Motion] = []

    @property
    def place(self) -> Place | None:
        """Place of the activity in the newest second, None if it is not watched."""
        return None if self._watch is None else self._watch.place

    def begin_anew(self) -> None:
        """Forget the scan before."""
        self.motions = []
        if self._watch is not None:
            self._watch.begin_anew()

    def add(self, events: ListMode) -> None:
        """Look at events, in the order of their times."""
        for motion in [] if self._watch is None else self._watch.add(events):
            text = motion.describe()
            if motion.is_measured and self.motions:
                self.motions[-1] = motion
                text = f"{self._name}: the object has moved {text}, measured for 2 s."
            else:
                self.motions.append(motion)
                text = f"{self._name}: the object moves, so far {text}."
            self._say(Moved(text, motion))
