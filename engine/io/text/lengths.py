"""Units of length in files of other programs, in lower case."""

from __future__ import annotations

MM_OF = {
    **dict.fromkeys(("nm", "nanometer"), 1e-6),
    **dict.fromkeys(("um", "\u00b5m", "\u03bcm", "micron", "microns", "micrometer"), 1e-3),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre"), 1.0),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre"), 10.0),
    **dict.fromkeys(("m", "meter", "meters", "metre"), 1000.0),
}
"""Name of a unit -> length in mm."""
