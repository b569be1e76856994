"""Name the format of an unsupported file: the first known format that matches its content."""

from __future__ import annotations

from engine.io.recogniser.emission import EMISSION
from engine.io.recogniser.known_format import KnownFormat
from engine.io.recogniser.packed import PACKED
from engine.io.recogniser.trees import TREES
from engine.io.recogniser.volumes import VOLUMES
from engine.io.recogniser.xray import XRAY
from engine.io.safety.open_input import InputFile

KNOWN: tuple[KnownFormat, ...] = (*TREES, *EMISSION, *XRAY, *VOLUMES, *PACKED)
"""From what tells most to what tells least."""


def recognised(file: InputFile) -> KnownFormat | None:
    """Return the format of a file that no reader takes; None where nothing of it is known."""
    return next((known for known in KNOWN if known.tell(file)), None)
