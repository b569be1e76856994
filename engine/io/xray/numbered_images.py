"""Pattern for the names of numbered images."""

from __future__ import annotations

import re

NUMBERED_IMAGE = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.(?:tiff?|edf)$", re.IGNORECASE)
