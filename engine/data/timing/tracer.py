"""Dose and patient facts of a scan, for units that need more than the scan.

    dose at injection = D 2^(−(t_injected − t_D) / T½) − R 2^(−(t_injected − t_R) / T½)

D is the activity in the syringe and R the residual, each measured at its own time.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import field_validator, model_validator

from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.data.timing.datetime_setting import Moment
from engine.data.timing.decay import NUCLIDES, decayed, seconds_between

Sex = Literal["F", "M"]
Administration = Literal["bolus", "infusion"]
FROM_THE_SCAN, NOT_STATED = "from the scan", "not stated"
PARTING = "\\^="
"""Characters that separate values and name components in DICOM."""


class Tracer(Settings):
    """Nuclide, dose, times and body of one scan. Empty values come from the scan.

    Examples
    --------
    >>> from engine.data.timing.tracer import Tracer
    >>> tracer = Tracer(nuclide="F-18", dose_mbq=370, weight_kg=70)
    >>> tracer.facts()["injected_bq"]
    370000000.0
    """

    nuclide: str | None = setting(
        None, "Positron emitter, for example F-18", label="Nuclide", empty=FROM_THE_SCAN
    )
    radiopharmaceutical: str | None = setting(
        None,
        "Radiopharmaceutical, for example FDG",
        label="Tracer",
        empty=FROM_THE_SCAN,
        min_length=1,
        max_length=64,
    )
    half_life_s: float | None = setting(
        None,
        "Half-life; required only if the program does not know the nuclide",
        label="Half-life",
        unit="s",
        empty="from the nuclide",
        gt=0,
    )
    branching: float | None = setting(
        None,
        "Positrons emitted per decay",
        label="Positrons per decay",
        empty="from the nuclide",
        gt=0,
        le=1,
    )
    scan_start: Moment | None = setting(
        None, "Start time of the frame", label="Start of the scan", empty=FROM_THE_SCAN
    )
    live_fraction: float | None = setting(
        None,
        "Live time as a fraction of the frame duration",
        label="Live fraction",
        empty=FROM_THE_SCAN,
        gt=0,
        le=1,
    )
    dose_mbq: float | None = setting(
        None, "Activity drawn into the syringe", label="Dose", unit="MBq", empty=FROM_THE_SCAN, gt=0
    )
    dose_at: Moment | None = setting(
        None,
        "Time of the dose measurement; if empty, the time of injection",
        label="Dose measured at",
        empty="at injection",
    )
    residual_mbq: float = setting(
        0.0, "Activity left in the syringe", label="Residual", unit="MBq", ge=0
    )
    residual_at: Moment | None = setting(
        None,
        "Time of the residual measurement; if empty, the time of injection",
        label="Residual measured at",
        empty="at injection",
    )
    injected_at: Moment | None = setting(
        None, "Time of injection", label="Injection", empty=FROM_THE_SCAN
    )
    administration: Administration | None = setting(
        None, "Type of administration: bolus or infusion", label="Administration", empty=NOT_STATED
    )
    injected_mass_ug: float | None = setting(
        None,
        "Mass of the compound at injection",
        label="Injected mass",
        unit="µg",
        empty=NOT_STATED,
        gt=0,
    )
    weight_kg: float | None = setting(
        None, "Body weight", label="Weight", unit="kg", empty=FROM_THE_SCAN, gt=0
    )
    height_cm: float | None = setting(
        None, "Body height", label="Height", unit="cm", empty=FROM_THE_SCAN, gt=0
    )
    sex: Sex | None = setting(
        None, "F or M; used for lean body mass", label="Sex", empty=FROM_THE_SCAN
    )
    of_scan: str | None = setting(
        None,
        "Fingerprint of the scan that this file is valid for; the file is rejected for other scans",
        label="Valid for scan",
        empty="any scan",
        expert=True,
        pattern=r"^[0-9a-f]{64}$",
    )

    @field_validator("radiopharmaceutical")
    @classmethod
    def _refuse_signs(cls, words: str | None) -> str | None:
        if words is not None and (any(c in PARTING for c in words) or not words.isprintable()):
            raise ValueError(
                f"this text must not contain any of {' '.join(PARTING)}, or a line break"
            )
        return words

    @model_validator(mode="after")
    def _refuse_unknown_times(self) -> Tracer:
        for name in ("dose_at", "residual_at"):
            moment = getattr(self, name)
            if moment is None:
                continue
            # Without the time of injection the decay between both is unknown.
            if self.injected_at is None:
                raise ValueError(f"{name} is set but injected_at is not; give both")
            if seconds_between(moment, self.injected_at) is None:
                raise ValueError(
                    f"only one of {name} and injected_at has a time zone; give both times with "
                    "one, or both without"
                )
            if self.known_half_life_s is None:
                raise ValueError(f"{name} is set without a half-life; give nuclide or half_life_s")
        # A residual above the dose usually means exchanged values or times.
        if self.dose_mbq is not None and not self.injected_bq:
            raise ValueError(
                "the residual is not smaller than the dose; check both activities and their times"
            )
        return self

    @property
    def known_half_life_s(self) -> float | None:
        """Half-life [s]; that of the nuclide if it is not set."""
        if self.half_life_s is None and self.nuclide in NUCLIDES:
            return NUCLIDES[self.nuclide].half_life_s
        return self.half_life_s

    @property
    def injected_bq(self) -> float | None:
        """Injected activity at the time of injection [Bq]; None if not known."""
        if self.dose_mbq is None:
            return None
        left = self._at_injection(self.dose_mbq, self.dose_at)
        # Both are decayed to the injection before the subtraction, because they were measured at
        # different times.
        left -= self._at_injection(self.residual_mbq, self.residual_at)
        return max(0.0, 1e6 * left)

    def facts(self) -> Plain:
        """Return the known values, under the keys that readers of scans use."""
        known = {
            "isotope": self.nuclide,
            "radiopharmaceutical": self.radiopharmaceutical,
            "half_life_s": self.known_half_life_s,
            "branching": self._branching(),
            "injected_bq": self.injected_bq,
            "live_fraction": self.live_fraction,
            "scan_start": _text(self.scan_start),
            "injected_at": _text(self.injected_at),
            "administration": self.administration,
            "injected_mass_ug": self.injected_mass_ug,
            "weight_kg": self.weight_kg,
            "height_cm": self.height_cm,
            "sex": self.sex,
        }
        return {key: value for key, value in known.items() if value is not None}

    def describe(self) -> str:
        """Return dose, nuclide and weight in one line."""
        dose = "" if self.injected_bq is None else f"{self.injected_bq / 1e6:.4g} MBq"
        words = (
            dose,
            self.nuclide or "",
            "" if self.weight_kg is None else f"{self.weight_kg:g} kg",
        )
        return ", ".join(word for word in words if word) or "no dose or body data"

    def _branching(self) -> float | None:
        # A branching fraction of the user has priority, for nuclides that the table lacks.
        if self.branching is None and self.nuclide in NUCLIDES:
            return NUCLIDES[self.nuclide].branching
        return self.branching

    def _at_injection(self, mbq: float, measured: datetime | None) -> float:
        half_life_s, injected = self.known_half_life_s, self.injected_at
        if measured is None or injected is None or half_life_s is None:
            return mbq
        return mbq * decayed(seconds_between(measured, injected) or 0.0, half_life_s)


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
