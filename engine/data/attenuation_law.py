"""Attenuation at 511 keV from CT numbers: bilinear, with a smaller slope for bone.

    μ = min(9.6e-5 (HU + 1000), a (HU + 1000) + b) [1/cm], not below 0

Below the crossing near 50 HU tissue is a mixture of water and air. Above it, it is a mixture of
water and bone. The photoelectric part of bone is large in CT but absent at 511 keV, so a and b
depend on the tube voltage. Carney, Townsend, Rappoport and Bendriem, Med. Phys. 33 (2006) 976,
table I.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError

WATER_PER_CM = 0.096
"""μ of water at 511 keV; water is 0 HU."""
AIR_HU = -1000.0
DEFAULT_KV = 120.0
BONE = {
    80.0: (3.64e-5, 6.26e-2),
    100.0: (4.43e-5, 5.44e-2),
    110.0: (4.92e-5, 4.88e-2),
    120.0: (5.10e-5, 4.71e-2),
    130.0: (5.51e-5, 4.24e-2),
    140.0: (5.64e-5, 4.08e-2),
}
"""Tube voltage [kV] -> a [1/cm per HU] and b [1/cm]."""


def mu_of_hounsfield(values: NDArray[np.float32], voltage_kv: float) -> NDArray[np.float32]:
    """Convert CT numbers to μ at 511 keV.

    Parameters
    ----------
    values
        CT numbers in HU, of any shape
    voltage_kv
        tube voltage, 80 to 140; a and b are interpolated between the table's voltages

    Returns
    -------
    μ in 1/mm, same shape

    Raises
    ------
    DataError
        if the voltage is outside the table
    """
    voltages = sorted(BONE)
    if not voltages[0] <= voltage_kv <= voltages[-1]:
        raise DataError(
            f"the tube voltage is {voltage_kv:g} kV, but CT numbers can be converted to "
            f"attenuation only for {voltages[0]:g} to {voltages[-1]:g} kV; correct the voltage, or "
            "use another CT."
        )
    a, b = (float(np.interp(voltage_kv, voltages, [BONE[v][k] for v in voltages])) for k in (0, 1))
    # Metal and reconstruction noise give values below air; μ must not become negative.
    above_air = np.maximum(values - np.float32(AIR_HU), np.float32(0))
    soft = np.float32(WATER_PER_CM / -AIR_HU) * above_air
    bone = np.float32(a) * above_air + np.float32(b)
    # Below the crossing the soft-tissue line is lower, above it the bone line: the minimum selects
    # the right one without a threshold. The division by 10 converts 1/cm to 1/mm.
    return np.asarray(np.minimum(soft, bone) / np.float32(10), np.float32)
