"""Codes of quantities, units and statistics in measurement reports (PS3.16).

A quantity names the physical meaning of the values, and a derivation the statistic of a region.
Units are codes of UCUM.
"""

from __future__ import annotations

from typing import NamedTuple

UCUM, DCM, SCT = "UCUM", "DCM", "SCT"
PER_ML = "/ml"
PRIVATE = "99ISOCENTER"
"""Own coding scheme for quantities that DICOM does not name."""


class Code(NamedTuple):
    """A code with its scheme and its meaning."""

    value: str
    scheme: str
    meaning: str


MEAN = Code("373098007", SCT, "Mean")
DEVIATION = Code("386136009", SCT, "Standard Deviation")
MINIMUM = Code("255605001", SCT, "Minimum")
MAXIMUM = Code("56851009", SCT, "Maximum")
MEDIAN = Code("373099004", SCT, "Median")
TOTAL = Code("255619001", SCT, "Total")
PEAK = Code("126031", DCM, "Peak Value Within ROI")
VOLUME = Code("118565006", SCT, "Volume")
CUBIC_CENTIMETRE = Code("cm3", UCUM, "Cubic centimeter")
ATTENUATION = Code("112031", DCM, "Attenuation Coefficient")
ACTIVITY = Code("110821", DCM, "Nuclear Medicine Tomographic Activity")
OTHER = Code("VALUE", PRIVATE, "Value of the image")
SUV = Code("126400", DCM, "Standardized Uptake Value")
SUV_WEIGHT = Code("126401", DCM, "SUVbw")
SUV_LEAN = Code("126402", DCM, "SUVlbm")
SUV_SURFACE = Code("126403", DCM, "SUVbsa")
QUANTITIES = {
    "HU": ATTENUATION,
    "1/mm": ATTENUATION,
    "1/cm": ATTENUATION,
    "Bq/mL": ACTIVITY,
    "kBq/mL": ACTIVITY,
    "MBq/mL": ACTIVITY,
    "counts": ACTIVITY,
    "counts/mm": ACTIVITY,
    "g/mL": SUV_WEIGHT,
    "g/mL{SUVlbm}": SUV_LEAN,
    "cm2/mL": SUV_SURFACE,
    "SUV": SUV,
}
"""Unit of an image -> quantity."""
UNITS = {
    "": Code("1", UCUM, "no units"),
    "1": Code("1", UCUM, "no units"),
    "%": Code("%", UCUM, "Percent"),
    "HU": Code("[hnsf'U]", UCUM, "Hounsfield unit"),
    "1/mm": Code("/mm", UCUM, "/Millimeter"),
    "1/cm": Code("/cm", UCUM, "/Centimeter"),
    "1/pixel": Code("/{pixel}", UCUM, "/Pixel"),
    "Bq/mL": Code("Bq/ml", UCUM, "Becquerels/milliliter"),
    "kBq/mL": Code("kBq/ml", UCUM, "Kilobecquerels/milliliter"),
    "MBq/mL": Code("MBq/ml", UCUM, "Megabecquerels/milliliter"),
    "g/mL": Code("g/ml{SUVbw}", UCUM, "Standardized Uptake Value body weight"),
    "g/mL{SUVlbm}": Code("g/ml{SUVlbm}", UCUM, "Standardized Uptake Value lean body mass"),
    "cm2/mL": Code("cm2/ml{SUVbsa}", UCUM, "Standardized Uptake Value body surface area"),
    "SUV": Code("{SUV}", UCUM, "Standardized Uptake Value"),
    "counts": Code("{counts}", UCUM, "Counts"),
    "counts/mm": Code("{counts}/mm", UCUM, "Counts/millimeter"),
    "decays": Code("{decays}", UCUM, "Decays"),
}
"""Unit of an image -> code of UCUM. CID 85 contains those of SUV."""


def quantity_code(unit: str) -> Code:
    """Return the quantity of an image from its unit."""
    return QUANTITIES.get(unit, OTHER)


def unit_code(unit: str) -> Code:
    """Return the code of a unit; units that are valid in UCUM as they are, such as "mm", stay.

    Parameters
    ----------
    unit
        unit of an image of this program
    """
    return UNITS.get(unit, Code(unit, UCUM, unit))


def total_unit_code(unit: str) -> Code:
    """Return the unit of a sum over a volume in mL, for the unit of an image."""
    code = unit_code(unit)
    if PER_ML in code.value:
        # SUV keeps its annotation, because its sum in g would read like a mass.
        total = code.value.replace(PER_ML, "")
        return Code(total, UCUM, total)
    if code.value == "1":
        return Code("ml", UCUM, "Milliliter")
    return Code(f"{code.value}.ml", UCUM, f"{code.meaning} times milliliter"[:64])
