"""Activity concentration: images in Bq/mL from a calibration and the times of the scan.

`engine.data.calibration` contains the formula. The values refer to the start of the scan, or to
the injection: C(injection) = C(start) 2^(waited / T½).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from engine.core.backend import Backend
from engine.core.settings import setting
from engine.corrections.base import Correction
from engine.corrections.roles import CALIBRATION as CALIBRATION
from engine.corrections.roles import TRACER as TRACER
from engine.data.calibration import (
    CONCENTRATION,
    LIVE_BLOCKS,
    TWICE_DEAD,
    Calibration,
    Concentration,
    CountedFrame,
)
from engine.data.input_role import InputRole, with_auxiliary
from engine.data.listmode import ListMode
from engine.data.timing.decay import NUCLIDES, decayed, seconds_between
from engine.data.timing.timestamps import moment_of

if TYPE_CHECKING:
    pass

KEY, APPLIED = "concentration", "applied"
"""Entries of a scan's `auxiliary`: the conversion, and the corrections before it."""


class ActivityConcentration(Correction[ListMode]):
    """Activity concentration in Bq/mL, from calibration, branching, decay and live time."""

    title: ClassVar[str] = "Units"
    kind: ClassVar[str] = "units"
    inputs: ClassVar[tuple[InputRole, ...]] = (CALIBRATION, TRACER)
    # Safe in old protocols: their studies name no calibration file, so this step does nothing.
    since: ClassVar[int | None] = 1
    reference: Literal["start", "injection"] = setting(
        "start", "Time to which the activity is decay-corrected", label="Decay-corrected to"
    )

    def obstacle(self, data: ListMode) -> str | None:
        """Return why the image stays in counts/mm.

        Returns
        -------
        obstacle
            the first problem found: no calibration, missing scan data, dead time counted twice, or
            a calibration made with other corrections; None if it can be converted
        """
        if CALIBRATION.key not in data.auxiliary:
            return "values are counts/mm: there is no calibration; measure one and load its file"
        reason = self._unknown(data)
        if reason:
            return f"values are counts/mm: {reason}"
        applied = data.auxiliary.get(APPLIED)
        # Before a run `applied` is unknown. Assume normalisation, so that the warning appears
        # early.
        with_blocks = applied is None or "normalisation" in applied
        # Live times of blocks in the normalisation and a live fraction of the scan describe the
        # same loss.
        if with_blocks and LIVE_BLOCKS in data.info and "live_fraction" in data.info:
            return f"values are counts/mm: {TWICE_DEAD}"
        # Before the other corrections have run, their effect on the calibration is unknown.
        if applied is None:
            return None
        # A calibration holds only for the corrections that its cylinder image was made with.
        found: Calibration = data.auxiliary[CALIBRATION.key]
        digest = efficiencies_digest(data) if "normalisation" in applied else ""
        reason = found.difference(applied, digest)
        return f"values are counts/mm: {reason}" if reason else None

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        """Return the scan with its conversion to Bq/mL in `auxiliary`.

        Returns
        -------
        data
            the same events. Only the final image is scaled, so iterations stay in counts/mm.
        """
        return with_auxiliary(data, KEY, self._concentration(data))

    def summary(self, before: ListMode, after: ListMode) -> str:
        found: Concentration = after.auxiliary[KEY]
        at = "at the start of the scan" if self.reference == "start" else "at injection"
        live = found.facts["live_fraction"]
        dead = (
            f"live time {100 * live:g} %"
            if "live_fraction" in before.info
            else "no dead time assumed"
        )
        return (
            f"Bq/mL {at}, {found.per_count:.5g} Bq/mL per count/mm: frame of "
            f"{found.facts['frame_s']:g} s, {dead}, {found.facts['branching']:g} "
            f"positrons per decay, half-life {found.facts['half_life_s']:g} s, "
            f"calibration error {found.facts['calibration_error_percent']:.2g} %"
        )

    def _concentration(self, data: ListMode) -> Concentration:
        calibration: Calibration = data.auxiliary[CALIBRATION.key]
        frame = frame_of(data)
        per_count = calibration.becquerel_per_ml(frame) / self._decayed(data, frame)
        facts = {
            "unit": CONCENTRATION,
            "decay": self.reference,
            "becquerel_per_ml_per_count": per_count,
            "frame_s": frame.duration_s,
            "half_life_s": frame.half_life_s,
            "branching": frame.branching,
            "live_fraction": frame.live_fraction,
            "calibration_error_percent": calibration.error_percent,
            "calibration_made_utc": calibration.made_utc,
        }
        notes = calibration.notes_for(data.auxiliary.get(APPLIED, ()))
        return Concentration(per_count, facts, notes)

    def _decayed(self, data: ListMode, frame: CountedFrame) -> float:
        """Return the activity at the start of the frame, relative to the reference time."""
        waited_s = waiting_s(data) if self.reference == "injection" else 0.0
        return decayed(waited_s or 0.0, frame.half_life_s)

    def _unknown(self, data: ListMode) -> str:
        """Name the missing facts and the file that can supply them; empty if nothing is missing."""
        # Duration 0 means unknown in list mode, not an empty frame.
        wanted = {
            "duration_s": data.duration_s or None,
            "half_life_s": half_life_s(data),
            "branching": branching(data),
        }
        if self.reference == "injection":
            wanted["scan_start - injected_at"] = waiting_s(data)
        missing = [name for name, value in wanted.items() if value is None]
        if not missing:
            return ""
        return (
            f"the scan does not state all values (missing: {', '.join(missing)}); load a tracer "
            "file that contains them"
        )


def concentration_of(data: ListMode) -> Concentration | None:
    """Return the conversion of a corrected scan's image to Bq/mL.

    Parameters
    ----------
    data
        scan after `ActivityConcentration.apply`

    Returns
    -------
    found
        None if the image stays in counts/mm
    """
    found: Concentration | None = data.auxiliary.get(KEY)
    return found


def frame_of(data: ListMode) -> CountedFrame:
    """Return the frame of a scan with the factors that turn counts into activity.

    Parameters
    ----------
    data
        scan whose `half_life_s` and `branching` are known

    Returns
    -------
    frame
        duration in s and factors; a missing live fraction, half-life or branching ratio counts as 1
    """
    # Without a live fraction, assume no dead time; `summary` reports the assumption.
    live = _number(data, "live_fraction", maximum=1.0) or 1.0
    return CountedFrame(data.duration_s, half_life_s(data) or 1.0, branching(data) or 1.0, live)


def half_life_s(data: ListMode) -> float | None:
    """Return the half-life of the scan's nuclide [s].

    Parameters
    ----------
    data
        scan with `half_life_s` or `isotope` in its `info`

    Returns
    -------
    half_life_s
        the value of the file takes precedence over the table of nuclides; None if both are missing
    """
    known = NUCLIDES.get(str(data.info.get("isotope")))
    return _number(data, "half_life_s") or (known.half_life_s if known else None)


def branching(data: ListMode) -> float | None:
    """Return the number of positrons per decay.

    Parameters
    ----------
    data
        scan with `branching` or `isotope` in its `info`

    Returns
    -------
    branching
        at most 1. The value of the file takes precedence; None if both are missing.
    """
    known = NUCLIDES.get(str(data.info.get("isotope")))
    return _number(data, "branching", maximum=1.0) or (known.branching if known else None)


def waiting_s(data: ListMode) -> float | None:
    """Return the time from injection to the start of the scan [s].

    Parameters
    ----------
    data
        scan with `injected_at` and `scan_start` in its `info`

    Returns
    -------
    waiting_s
        None if one of the times is missing. Negative if the scan started before the injection.
    """
    injected, started = (moment_of(data.info.get(key)) for key in ("injected_at", "scan_start"))
    if injected is None or started is None:
        return None
    return seconds_between(injected, started)


def efficiencies_digest(data: ListMode) -> str:
    """Return a digest of the efficiencies and tables of a scan's normalisation; empty without one.

    Live times are left out: they belong to the scan, not to the scanner.

    Parameters
    ----------
    data
        scan with its normalisation attached
    """
    found = data.components
    pairs = None if found is None else found.pairs
    lines = None if found is None else found.lines
    tables = () if found is None else (found.geometry, found.interference)
    tables = (*tables, pairs and pairs.values, lines and lines.values)
    is_live = found is not None and found.live is not None
    # With live times, `efficiencies` are already multiplied by them. The file's own values are not.
    crystals = found.crystals if found is not None and is_live else data.efficiencies
    parts = [part for part in (crystals, *tables) if part is not None]
    if not parts:
        return ""
    # Shapes are part of the digest, because tables of different shapes can have equal bytes.
    digest = hashlib.sha256(repr([part.shape for part in parts]).encode())
    for part in parts:
        # A fixed byte order gives the same digest on every machine.
        digest.update(np.ascontiguousarray(part, "<f4").data)
    return digest.hexdigest()


def _number(data: ListMode, key: str, *, maximum: float = float("inf")) -> float | None:
    value = data.info.get(key)
    # Headers contain 0 for unknown values; a value outside (0, most] counts as missing.
    return float(value) if isinstance(value, int | float) and 0 < value <= maximum else None
