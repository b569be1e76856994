"""Find the unit of a μ-map: the stated one, or else from its values.

Water is 0.0096 1/mm, 0.096 1/cm and 0 HU, and air is −1000 HU. So the most frequent tissue of a
body
reveals the unit. A stated unit that contradicts the values is an error. UMAP series of the Siemens
mMR contain whole numbers in 1e-4/cm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.data.attenuation_law import AIR_HU, DEFAULT_KV, mu_of_hounsfield
from engine.data.formatting import Information
from engine.data.joining import joined
from engine.data.volume import Volume

PER_MM, PER_CM, HOUNSFIELD, SIEMENS = "1/mm", "1/cm", "HU", "1e-4/cm"
MU_UNITS = (PER_MM, PER_CM, HOUNSFIELD, SIEMENS)
PER_UNIT = {PER_MM: 1.0, PER_CM: 0.1, SIEMENS: 1e-5}
"""Unit -> factor to 1/mm."""
TISSUE_PER_MM = (0.002, 0.02)
"""Range of the median of a body, a phantom or a bed: from lung to bone."""
SEEN = 0.1
"""Part of the largest value above which a voxel counts as matter."""
# DICOM stores CT numbers in 16 bits.
LOWEST_HU, HIGHEST_HU = -32768.0, 32767.0
SOME = 0.001
"""Smallest part of the voxels of a CT that is air."""
CONTENT = "mu-map"
"""Value of "content" in `Volume.info` for a series whose description says μ-map."""
COARSE_MM = 2.0
"""CT voxels are averaged up to this edge, because PET needs none finer."""


@dataclass(frozen=True)
class FoundUnit:
    """Unit of a map, and its source.

    Attributes
    ----------
    unit : one of `MU_UNITS`
    is_said : True if the file or the user states it, False if it was found from the values
    """

    unit: str
    is_stated: bool


def typical(values: NDArray[np.float32]) -> float:
    """Return the median of the attenuating voxels, or the upper middle one; 0 if there are none."""
    most = float(values.max(initial=0.0))
    matter = values[values > SEEN * most] if most > 0 else values[:0]
    middle = matter.size // 2
    return float(np.partition(matter, middle)[middle]) if matter.size else 0.0


def looks_like(volume: Volume) -> str:
    """Return the unit that fits the values.

    Parameters
    ----------
    volume
        possible μ-map

    Returns
    -------
    unit
        one of `MU_UNITS`; "" if none fits
    """
    values = volume.values
    # Only CT numbers are strongly negative. Some air is required, so that one outlier does not
    # decide.
    least, most = float(values.min()), float(values.max())
    if least < AIR_HU / 2:
        near_air = np.count_nonzero(values < AIR_HU / 2) / values.size
        return HOUNSFIELD if near_air > SOME and least >= LOWEST_HU and most <= HIGHEST_HU else ""
    typical_value = typical(values)
    # Numbers near 960 can be any image, so this unit also needs the description of the series.
    units = (PER_MM, PER_CM, *([SIEMENS] if volume.info.get("content") == CONTENT else []))
    low, high = TISSUE_PER_MM
    return next((unit for unit in units if low <= typical_value * PER_UNIT[unit] < high), "")


def recognised(volume: Volume, name: str, unit: str = "") -> FoundUnit | None:
    """Return the unit of a map.

    Parameters
    ----------
    volume
        the map
    name
        file name for messages
    unit
        unit stated by the user, which overrides the values; "" uses the unit of the file

    Returns
    -------
    unit
        None if neither the file nor the values reveal it

    Raises
    ------
    DataError
        if the values contradict the unit in the file
    """
    file_unit, seen = unit or volume.unit, looks_like(volume)
    if file_unit not in MU_UNITS:
        return FoundUnit(seen, is_stated=False) if seen and not file_unit else None
    # A wrong unit makes attenuation ten times too large or small, so guess neither of the two.
    if seen and seen != file_unit and not unit:
        raise DataError(
            f"{name}: the stated unit is {file_unit}, but the values look like {seen} (typical "
            f"value {typical(volume.values):.3g}; water is 0.0096 1/mm, 0.096 1/cm, 0 HU); set the "
            "unit with `isocenter mu-map --unit`."
        )
    return FoundUnit(file_unit, is_stated=True)


def in_per_mm(volume: Volume, found: FoundUnit, name: str, voltage_kv: float = 0.0) -> Volume:
    """Return a map in 1/mm at 511 keV, with a note on the conversion.

    Parameters
    ----------
    volume
        map in the unit `found`
    found
        unit from `recognised`
    name
        file name for messages
    voltage_kv
        tube voltage of a CT; 0 uses the voltage in the file

    Raises
    ------
    DataError
        if CT numbers cannot be converted for this voltage
    """
    if found.unit == HOUNSFIELD:
        return _from_ct(volume, name, voltage_kv)
    if found.unit == PER_MM:
        return replace(volume, unit=PER_MM)
    # A stated unit needs no attention. A guess is a warning that the user should check.
    if found.is_stated:
        note: str = Information(f"{name}: the map was converted from {found.unit} to 1/mm.")
    else:
        note = (
            f"{name}: the values look like {found.unit}; the map was converted from that unit to "
            "1/mm."
        )
    values = volume.values * np.float32(PER_UNIT[found.unit])
    info = {**volume.info, "converted_from": found.unit}
    return replace(volume, values=values, unit=PER_MM, info=info, notes=(*volume.notes, note))


def _from_ct(volume: Volume, name: str, voltage_kv: float) -> Volume:
    scan = volume.info.get("scan")
    stated = scan.get("voltage_kv") if isinstance(scan, dict) else None
    # Bone absorbs by the photoelectric effect at CT energies, so its conversion depends on the tube
    # voltage. Soft tissue hardly does (Carney et al., Med Phys 33, 2006).
    known = voltage_kv or (float(stated) if isinstance(stated, int | float) else 0.0)
    try:
        values = mu_of_hounsfield(volume.values, known or DEFAULT_KV)
    except DataError as e:
        raise DataError(f"{name}: {e}") from e
    if known:
        note: str = Information(
            f"{name}: CT numbers were converted to attenuation at 511 keV with the curve for "
            f"{known:g} kV."
        )
    else:
        note = (
            f"{name}: CT numbers were converted to attenuation at 511 keV with the curve for "
            f"{DEFAULT_KV:g} kV, because the tube voltage is not stated; it affects the values of "
            "bone."
        )
    info = {**volume.info, "converted_from": f"{HOUNSFIELD} at {known or DEFAULT_KV:g} kV"}
    fine = replace(volume, values=values, unit=PER_MM, info=info, notes=(*volume.notes, note))
    # Converted before averaging, because the curve has a kink at water.
    return joined(fine, tuple(max(int(COARSE_MM / edge), 1) for edge in volume.grid.voxel_mm))
