"""The unit of an attenuation map: as it says, else as its values tell, never against them.

Water is 0.0096 1/mm, 0.096 1/cm and 0 HU, where air is −1000; so the tissue that most voxels of a
body hold tells the unit. Siemens' series of MR (UMAP) have whole numbers of 1e-4 1/cm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.data.attenuation_law import AIR_HU, DEFAULT_KV, mu_of_hounsfield
from engine.data.joining import joined
from engine.data.reading_note import Information
from engine.data.volume import Volume

PER_MM, PER_CM, HOUNSFIELD, SIEMENS = "1/mm", "1/cm", "HU", "1e-4/cm"
MU_UNITS = (PER_MM, PER_CM, HOUNSFIELD, SIEMENS)
PER_UNIT = {PER_MM: 1.0, PER_CM: 0.1, SIEMENS: 1e-5}
"""Unit -> 1/mm."""
TISSUE_PER_MM = (0.002, 0.02)
"""What most voxels of a body, a phantom or a table may have: from lung to bone."""
SEEN = 0.1
"""Part of the largest value above which a voxel counts as matter."""
LOWEST_HU, HIGHEST_HU = -32768.0, 32767.0
SOME = 0.001
"""Part of a CT's voxels that is air at least."""
CONTENT = "mu-map"
"""What `Volume.info` says of a series that its name calls a map."""
COARSE_MM = 2.0
"""A CT is finer than any PET: its voxels are joined up to this edge."""


@dataclass(frozen=True)
class FoundUnit:
    """Unit of a map, and whether it is said or only seen in its values.

    Attributes
    ----------
    unit : one of `MU_UNITS`
    is_said : whether the file, or the user, says it
    """

    unit: str
    is_said: bool


def typical(values: NDArray[np.float32]) -> float:
    """Return the value that the matter of a map has mostly, its median; 0 of none."""
    most = float(values.max(initial=0.0))
    matter = values[values > SEEN * most] if most > 0 else values[:0]
    return float(np.median(matter)) if matter.size else 0.0


def looks_like(volume: Volume) -> str:
    """Return the unit that the values look like, "" where they fit none or may be several."""
    values = volume.values
    least, most = float(values.min()), float(values.max())
    if least < AIR_HU / 2:
        near_air = np.count_nonzero(values < AIR_HU / 2) / values.size
        return HOUNSFIELD if near_air > SOME and least >= LOWEST_HU and most <= HIGHEST_HU else ""
    usual = typical(values)
    units = (PER_MM, PER_CM, *([SIEMENS] if volume.info.get("content") == CONTENT else []))
    low, high = TISSUE_PER_MM
    return next((unit for unit in units if low <= usual * PER_UNIT[unit] < high), "")


def recognised(volume: Volume, name: str, unit: str = "") -> FoundUnit | None:
    """Return the unit of a map, None where neither header nor values tell.

    Parameters
    ----------
    volume
        the map
    name
        of its file, for sentences
    unit
        that the user says, whatever the values look like; of the file if ""

    Raises
    ------
    DataError
        where the values are of another unit than the file says
    """
    said, seen = unit or volume.unit, looks_like(volume)
    if said not in MU_UNITS:
        return FoundUnit(seen, is_said=False) if seen and not said else None
    if seen and seen != said and not unit:
        raise DataError(
            f"{name}: the stated unit is {said}, but the values look like {seen} (most matter has "
            f"{typical(volume.values):.3g}; water is 0.0096 1/mm, 0.096 1/cm, 0 HU); set the unit "
            "with `isocenter mu-map --unit`."
        )
    return FoundUnit(said, is_said=True)


def in_per_mm(volume: Volume, found: FoundUnit, name: str, voltage_kv: float = 0.0) -> Volume:
    """Return a map in 1/mm at 511 keV, with a note of what was done to it.

    Parameters
    ----------
    volume
        in the unit found
    found
        its unit
    name
        of its file, for sentences
    voltage_kv
        of a CT's tube; as the CT says if 0
    """
    if found.unit == HOUNSFIELD:
        return _from_ct(volume, name, voltage_kv)
    if found.unit == PER_MM:
        return replace(volume, unit=PER_MM)
    how = "states" if found.is_said else "the values look like"
    note = f"{name}: {how} {found.unit}; the map was converted to 1/mm."
    note = Information(note) if found.is_said else note
    values = volume.values * np.float32(PER_UNIT[found.unit])
    info = {**volume.info, "converted_from": found.unit}
    return replace(volume, values=values, unit=PER_MM, info=info, notes=(*volume.notes, note))


def _from_ct(volume: Volume, name: str, voltage_kv: float) -> Volume:
    scan = volume.info.get("scan")
    stated = scan.get("voltage_kv") if isinstance(scan, dict) else None
    known = voltage_kv or (float(stated) if isinstance(stated, int | float) else 0.0)
    try:
        values = mu_of_hounsfield(volume.values, known or DEFAULT_KV)
    except DataError as e:
        raise DataError(f"{name}: {e}") from e
    tube = (
        f"{known:g} kV"
        if known
        else (f"{DEFAULT_KV:g} kV, an assumed tube voltage (it changes bone)")
    )
    note = f"{name}: CT numbers were converted to attenuation at 511 keV with the curve for {tube}."
    note = Information(note) if known else note
    info = {**volume.info, "converted_from": f"{HOUNSFIELD} at {known or DEFAULT_KV:g} kV"}
    fine = replace(volume, values=values, unit=PER_MM, info=info, notes=(*volume.notes, note))
    return joined(fine, tuple(max(int(COARSE_MM / edge), 1) for edge in volume.grid.voxel_mm))
