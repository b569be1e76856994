"""All acts of the gallery, in playing order."""

from __future__ import annotations

from tests.app.gallery.calibrating import CALIBRATING
from tests.app.gallery.dialogs import DIALOGS
from tests.app.gallery.errors import ERRORS
from tests.app.gallery.fusing import FUSING
from tests.app.gallery.judging import JUDGING
from tests.app.gallery.long_names import LONG_NAMES
from tests.app.gallery.photographer import Act
from tests.app.gallery.queueing import QUEUEING
from tests.app.gallery.start import START
from tests.app.gallery.studies import STUDIES
from tests.app.gallery.systems import SYSTEMS
from tests.app.gallery.viewer_tools import VIEWER_TOOLS

ACTS = (
    *(*START, *SYSTEMS, *DIALOGS, *CALIBRATING, *FUSING, *VIEWER_TOOLS),
    *(*JUDGING, *QUEUEING, *STUDIES, *LONG_NAMES, *ERRORS),
)


def part_of(acts: tuple[Act, ...], part: str) -> tuple[Act, ...]:
    """Return every n-th act: "2/3" is every third act, starting at the second."""
    number, n = (int(word) for word in part.split("/"))
    if not 1 <= number <= n:
        raise ValueError(f"{part}: expected 1/{n} to {n}/{n}")
    return acts[number - 1 :: n]
