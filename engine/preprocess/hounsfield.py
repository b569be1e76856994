"""CT numbers: HU = 1000 (µ - µ_water) / (µ_water - µ_air)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from engine.data.volume import Volume
from engine.errors import DataError
from engine.settings import Settings, setting


class Hounsfield(Settings):
    """Scale of a finished volume in 1/mm: water becomes 0 and air -1000 HU."""

    title: ClassVar[str] = "CT numbers"
    kind: Literal["hounsfield"] = "hounsfield"
    mu_water_per_mm: float = setting(
        0.0193,  # 70 keV, the effective energy of 120 kV (NIST XCOM: 0.1929 cm²/g)
        "Attenuation of water in this beam, best measured in a scan of water",
        label="Water",
        unit="1/mm",
        gt=0,
        le=10,
    )
    mu_air_per_mm: float = setting(0.0, "Attenuation of air", label="Air", unit="1/mm", ge=0, le=10)

    def apply(self, volume: Volume) -> Volume:
        """Return the volume in HU, float32."""
        if volume.unit != "1/mm":
            raise DataError(
                f"CT numbers: the volume is in {volume.unit or 'no unit'}, it must be in 1/mm; "
                "give the size of the detector's pixels."
            )
        span = self.mu_water_per_mm - self.mu_air_per_mm
        if span <= 0:
            raise DataError(
                f"CT numbers: water attenuates {self.mu_water_per_mm:g} 1/mm and air "
                f"{self.mu_air_per_mm:g}; water must attenuate more."
            )
        scale = np.float32(1000 / span)
        values = scale * (volume.values - np.float32(self.mu_water_per_mm))
        return replace(volume, values=values.astype(np.float32, copy=False), unit="HU")

    def summary(self) -> str:
        """Plain words, with the units."""
        return f"water {self.mu_water_per_mm:g} 1/mm is 0 HU, air -1000 HU"
