"""Headers of frames that differ from a known one only in the number of the frame and its angle.

They are recognised by a pattern, because parsing JSON takes longer than the other checks of a small
frame. A pattern is made from a header that was parsed and checked. It is used only if the parser
sees no other change when both numbers change.
"""

from __future__ import annotations

import json
import re
from typing import Generic, NamedTuple, TypeVar

from engine.core.json_types import Plain

Facts = TypeVar("Facts")

# Whole numbers of JSON; those of a frame stay below 2⁵³
_WHOLE = rb"(?:0|[1-9][0-9]{0,14})"
_NUMBERS = {
    "frame": _WHOLE,
    "angle_rad": rb"-?" + _WHOLE + rb"(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]+)?",
}
_FIELDS = {
    name: re.compile(rb'"' + name.encode() + rb'"\s*:\s*(' + number + rb")(?=[\s,}])")
    for name, number in _NUMBERS.items()
}
_OTHERS = {"frame": 123_456_789_012_345, "angle_rad": -0.0625}
"""Numbers with which a pattern is tried."""


class Known(NamedTuple, Generic[Facts]):
    """A recognised header.

    Attributes
    ----------
    number : number of the frame
    angle_rad : its angle; None without one
    facts : facts about the known header
    """

    number: int
    angle_rad: float | None
    facts: Facts


class KnownHeaders(Generic[Facts]):
    """Recognises headers that are like the newest known one.

    Parameters
    ----------
    part : key of the part of a header that has the angle
    """

    def __init__(self, part: str) -> None:
        self._part = part
        self._known: tuple[re.Pattern[bytes], Facts] | None = None
        self._newest = self._unreadable = b""

    def find(self, text: bytes) -> Known[Facts] | None:
        """Return the facts of a header; None if it has to be parsed.

        Parameters
        ----------
        text
            header
        """
        known = self._known
        match = None if known is None else known[0].fullmatch(text)
        if known is None or match is None:
            return None
        angle = match["angle_rad"] if known[0].groups == len(_NUMBERS) else None
        return Known(int(match["frame"]), None if angle is None else float(angle), known[1])

    def learn(self, text: bytes, header: Plain, facts: Facts) -> None:
        """Remember a header that was checked, if the one before was like it.

        Parameters
        ----------
        text
            header
        header
            parsed header
        facts
            facts that all headers like this one share
        """
        # Without both numbers
        rest = text
        for field in _FIELDS.values():
            rest = field.sub(b"", rest)
        is_like, self._newest = rest == self._newest, rest
        if not is_like or rest == self._unreadable:
            return
        pattern = _pattern_of(text, header, self._part)
        if pattern is None:
            self._unreadable = rest
        else:
            self._known = pattern, facts


def _pattern_of(text: bytes, header: Plain, part: str) -> re.Pattern[bytes] | None:
    """Return the pattern of headers that differ only in both numbers; None if there is none."""
    found = {name: match for name, field in _FIELDS.items() if (match := field.search(text))}
    if "frame" not in found:
        return None
    wanted, inner = header | {"frame": _OTHERS["frame"]}, header.get(part)
    ours = inner if isinstance(inner, dict) else {}
    if "angle_rad" in found:
        wanted[part] = ours | {"angle_rad": _OTHERS["angle_rad"]}
    elif ours.get("angle_rad") is not None:
        return None  # the parser reads a spelling that the pattern would miss
    tried, pattern, done = b"", b"", 0
    for name, match in sorted(found.items(), key=lambda each: each[1].start()):
        between = text[done : match.start(1)]
        tried += between + json.dumps(_OTHERS[name]).encode()
        pattern += re.escape(between) + b"(?P<%b>%b)" % (name.encode(), _NUMBERS[name])
        done = match.end(1)
    try:
        # Numbers in a text, in another part, or given twice would change something else
        is_same = json.loads((tried + text[done:]).decode()) == wanted
    except (ValueError, RecursionError):
        return None
    return re.compile(pattern + re.escape(text[done:])) if is_same else None
