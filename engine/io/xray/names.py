"""Names of numbered images, and of arrays in a file: file name, a #, and name of the array."""

from __future__ import annotations

import re

NUMBERED_IMAGE = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.(?:tiff?|edf)$", re.IGNORECASE)
SIGN = "#"
"""Separator between the name of a file and the name of an array in it."""
