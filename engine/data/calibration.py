"""Conversion of image values to activity concentration, by a calibration factor of the scanner.

    C(0) = K v F / (Δt · live · b),    F = λΔt / (1 − exp(−λΔt))

v is the image [counts/mm]. K is the calibration: positrons per mL during the live time for an image
value of 1. Δt is the frame duration, `live` the fraction of it in which the scanner could count, b
the positrons per decay. C(0) is the activity concentration at the start of the frame.
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
"""Corrections that change the scale of an image, and so the validity of a calibration."""
ADDITIVE = ("randoms", "scatter")
"""Corrections that subtract counts: without them image values are too high."""
LIVE_BLOCKS = "live_blocks"
"""Key of a scan fact: number of blocks with a live time in the normalisation."""
TWICE_DEAD = (
    "the block live times of the normalisation and the live fraction of the scan would correct "
    "dead time twice; remove one of them"
)


@dataclass(frozen=True)
class CountedFrame:
    """A frame of a scan, with the facts that its counts need.

    Attributes
    ----------
    duration_s : length of the frame [s]
    half_life_s : half-life of the nuclide [s]
    branching : positrons per decay
    live_fraction : fraction of the frame in which the scanner could count
    """

    duration_s: float
    half_life_s: float
    branching: float
    live_fraction: float = 1.0

    @property
    def decays_per_positron(self) -> float:
        """Activity at the start of the frame for one positron during its live time [Bq]."""
        # Decay during the frame: the mean activity is below that at its start.
        factor = frame_factor(self.duration_s, self.half_life_s)
        return factor / (self.duration_s * self.live_fraction * self.branching)


@dataclass(frozen=True)
class Calibration:
    """Result of a scan of known activity.

    Attributes
    ----------
    positrons_per_ml : positrons per mL during the live time, for an image value of 1 count/mm
    error_percent : standard error of `positrons_per_ml`, from the image of the cylinder
    scanner : its name
    scanner_sha256 : digest of its geometry, see `scanner_digest`
    corrections : keys of the corrections that were applied to the cylinder
    efficiencies_sha256 : digest of the crystal efficiencies in use; empty if none
    nuclide : nuclide in the cylinder
    made_utc : time of the measurement, ISO 8601
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
        """Return the calibration factor of a frame in Bq/mL per count/mm.

        Parameters
        ----------
        frame
            duration, nuclide and live fraction of the frame

        Returns
        -------
        activity concentration at the start of the frame for an image value of 1
        """
        return self.positrons_per_ml * frame.decays_per_positron

    def difference(self, applied: tuple[str, ...], efficiencies_sha256: str) -> str:
        """Compare the corrections of a scan with those of the calibration.

        Parameters
        ----------
        applied
            keys of the corrections of the scan
        efficiencies_sha256
            digest of its crystal efficiencies; empty if none

        Returns
        -------
        the reason why the calibration is not valid for the scan; empty if it is
        """
        # The first difference is enough for a refusal; the user corrects one at a time.
        for kind in MULTIPLICATIVE:
            if (kind in self.corrections) != (kind in applied):
                with_it = "with" if kind in self.corrections else "without"
                return (
                    f"the calibration was measured {with_it} {_name(kind)}, unlike "
                    "this scan; correct both in the same way, or calibrate again"
                )
        # Another normalisation can have another scale, which would change Bq/mL without any sign.
        if efficiencies_sha256 != self.efficiencies_sha256:
            return (
                "the calibration was measured with other crystal efficiencies; use "
                "one normalisation file for both, or calibrate again"
            )
        return ""

    def notes_for(self, applied: tuple[str, ...]) -> tuple[str, ...]:
        """Return warnings about subtractive corrections that only one of both scans has.

        Parameters
        ----------
        applied
            keys of the corrections of the scan

        Returns
        -------
        one sentence for each such correction
        """
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
    """Return a digest of the geometry of a scanner."""
    # Sorted keys: the digest must not depend on the order in which a file lists them.
    text = json.dumps(scanner.fingerprint(), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _name(kind: str) -> str:
    return {"line_geometry": "geometry of the lines"}.get(kind, kind) + (
        "" if kind == "line_geometry" else " correction"
    )
