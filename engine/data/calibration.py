"""Conversion of image values to activity, by a calibration factor of the scanner.

    C(0) = K v F / (Δt · live · b),    F = λΔt / (1 − exp(−λΔt))

v is the image [counts/mm], K the calibration: positrons in each mL during the live time for an
image value of 1. Δt is the length of the frame, `live` the part of it in which the scanner could
count, b the positrons for each decay, C(0) the activity concentration when the frame began.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from engine.core.json_types import Plain
from engine.data.timing.decay import frame_factor
from engine.geometry.scanner import Scanner

CONCENTRATION = "Bq/mL"
MULTIPLICATIVE = ("normalisation", "line_geometry", "attenuation")
"""Corrections that set the scale of an image: with others a calibration does not hold."""
ADDITIVE = ("randoms", "scatter")
"""Corrections that take counts away: without them an image is too high by what they take."""
LIVE_BLOCKS = "live_blocks"
"""Fact of a scan: how many blocks its normalisation states the live time of."""
TWICE_DEAD = (
    "the normalisation includes block live times and the scan a live fraction, which "
    "would correct dead time twice; remove one of them"
)


@dataclass(frozen=True)
class CountedFrame:
    """A frame of a scan, with the facts that its counts need.

    Attributes
    ----------
    duration_s : length of the frame [s]
    half_life_s : half-life of the nuclide [s]
    branching : positrons for each decay
    live_fraction : part of the frame in which the scanner could count
    """

    duration_s: float
    half_life_s: float
    branching: float
    live_fraction: float = 1.0

    @property
    def decays_per_positron(self) -> float:
        """Activity at the frame's start for one positron during its live time [Bq]."""
        factor = frame_factor(self.duration_s, self.half_life_s)
        return factor / (self.duration_s * self.live_fraction * self.branching)


@dataclass(frozen=True)
class Calibration:
    """Result of a scan of known activity.

    Attributes
    ----------
    positrons_per_ml : in each mL during the live time, for an image value of 1 count/mm
    error_percent : standard error of that, from the image of the cylinder
    scanner : its name
    scanner_sha256 : scanner SHA-256 of all that fixes its geometry
    corrections : those that were applied to the cylinder, by their kinds
    efficiencies_sha256 : of the crystal efficiencies that were applied; empty without any
    nuclide : in the cylinder
    made_utc : when it was measured, ISO 8601
    """

    positrons_per_ml: float
    error_percent: float
    scanner: str
    scanner_sha256: str
    corrections: tuple[str, ...] = ()
    efficiencies_sha256: str = ""
    nuclide: str = ""
    made_utc: str = ""

    def becquerel_per_ml(self, frame: CountedFrame) -> float:
        """Return the activity at the start of a frame for an image value of 1 [Bq/mL]."""
        return self.positrons_per_ml * frame.decays_per_positron

    def difference(self, applied: tuple[str, ...], efficiencies_sha256: str) -> str:
        """Say why it does not hold for a scan with these corrections; empty if it does."""
        for kind in MULTIPLICATIVE:
            if (kind in self.corrections) != (kind in applied):
                with_it = "with" if kind in self.corrections else "without"
                return (
                    f"the calibration was measured {with_it} {_name(kind)}, unlike "
                    "this scan; correct both in the same way, or calibrate again"
                )
        if efficiencies_sha256 != self.efficiencies_sha256:
            return (
                "the calibration was measured with other crystal efficiencies; use "
                "one normalisation file for both, or calibrate again"
            )
        return ""

    def notes_for(self, applied: tuple[str, ...]) -> tuple[str, ...]:
        """Return a sentence for each correction that counts were taken away by in one scan only."""
        return tuple(
            "The calibration was measured "
            f"{'with' if kind in self.corrections else 'without'} {_name(kind)}, "
            "unlike this scan, so values in Bq/mL are wrong by the effect of this "
            "correction."
            for kind in ADDITIVE
            if (kind in self.corrections) != (kind in applied)
        )


@dataclass(frozen=True)
class Concentration:
    """Conversion of an image to Bq/mL.

    Attributes
    ----------
    per_count : Bq/mL for an image value of 1 count/mm
    facts : facts of the conversion, for provenance
    notes : notes for the user, one sentence each
    """

    per_count: float
    facts: Plain
    notes: tuple[str, ...] = ()


def scanner_digest(scanner: Scanner) -> str:
    """Return a digest of all that fixes the geometry of a scanner."""
    text = json.dumps(scanner.fingerprint(), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _name(kind: str) -> str:
    return {"line_geometry": "geometry of the lines"}.get(kind, kind) + (
        "" if kind == "line_geometry" else " correction"
    )
