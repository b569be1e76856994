"""CT numbers: HU = 1000 (µ - µ_water) / (µ_water - µ_air)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from engine.core.errors import DataError
from engine.core.settings import Settings, setting
from engine.data.volume import Volume


class Hounsfield(Settings):
    """Scale of a finished volume in 1/mm: water is 0 HU and air -1000 HU."""

    title: ClassVar[str] = "CT numbers"
    kind: Literal["hounsfield"] = "hounsfield"
    levels: Literal["given", "found"] = setting(
        "given",
        "Use the given values for water and air, or measure both at the peaks of the image "
        "histogram; soft tissue counts as water",
    )
    mu_water_per_mm: float = setting(
        0.0193,  # 70 keV, the effective energy of 120 kV (NIST XCOM: 0.1929 cm²/g)
        "Attenuation coefficient of water for this beam, preferably measured in a scan of water",
        label="Water",
        unit="1/mm",
        gt=0,
        le=10,
    )
    mu_air_per_mm: float = setting(
        0.0, "Attenuation coefficient of air", label="Air", unit="1/mm", ge=0, le=10
    )

    def apply(self, volume: Volume, *, in_place: bool = False) -> Volume:
        """Return the volume in HU, float32.

        Parameters
        ----------
        volume
            volume in 1/mm
        in_place
            True overwrites the values of the volume, slice by slice from the last one. If a file
            that stores slices from the first is interrupted, most of its slices are still unchanged

        Returns
        -------
        volume
            its `info` contains the values used for air and water

        Raises
        ------
        DataError
            if the unit is not 1/mm, or water does not attenuate more than air
        """
        if volume.unit != "1/mm":
            raise DataError(
                f"CT numbers: the volume has the wrong unit (unit: {volume.unit or 'unknown'}, "
                "expected: 1/mm); enter the pixel size of the detector."
            )
        air, water = self.mu_air_per_mm, self.mu_water_per_mm
        if self.levels == "found":
            from engine.corrections.preprocess.levels import find_levels  # rarely chosen

            air, water = find_levels(volume.values, water)
        if water <= air:
            raise DataError(
                f"CT numbers: the attenuation of water ({water:g} 1/mm) must be larger "
                f"than that of air ({air:g} 1/mm); correct both values."
            )
        scale = np.float32(1000 / (water - air))
        out = volume.values if in_place else np.empty(volume.values.shape, np.float32)
        # From the last slice, for the reason given above for `in_place`.
        for k in reversed(range(len(out))):
            out[k] = scale * (volume.values[k] - np.float32(water))
        facts = {"water_per_mm": water, "air_per_mm": air, "levels": self.levels}
        return replace(
            volume,
            values=out,
            unit="HU",
            info={**volume.info, self.kind: facts},
        )

    def summary(self, after: Volume) -> str:
        """Describe the values that `apply` used for air and water.

        Parameters
        ----------
        after
            the volume that `apply` returned
        """
        facts = after.info[self.kind]
        how = "found in the image" if self.levels == "found" else "from the protocol"
        water, air = (f"{facts[name]:.4g}" for name in ("water_per_mm", "air_per_mm"))
        return f"water ({water} 1/mm) is 0 HU and air ({air} 1/mm) is -1000 HU, {how}"
