"""Labels and units of the facts in files."""

import pytest

from engine.io.text.fact_labels import fact_of


@pytest.mark.parametrize(
    ("key", "value", "label", "text"),
    [
        ("half_life_s", 6586.2, "Half-life", "109.8 min"),
        ("injected_bq", 4.65e7, "Injected activity", "46.5 MBq"),
        ("energy_low_kev", 430.0, "Lower energy threshold", "430 keV"),
        ("n_time_tags", 1234567, "Time tags", "1,234,567"),
        ("seed", 20240229, "Seed", "20240229"),
        ("n_other_tags", 3, "Number of other tags", "3"),
        ("frame_s", 30.0, "Frame duration", "30 s"),
        ("scan_s", 14_400, "Scan", "4 h"),
        ("isotope", "F-18", "Isotope", "F-18"),
        ("pixel_mm", 0.05, "Pixel", "0.05 mm"),
        ("patient_orientation", "HFS", "Patient orientation", "HFS"),
        ("rods", {"axis": "z", "radius": 20.0}, "Rods", "axis z, radius 20"),
        ("rods", {"along": "y", "radius_mm": 18.0}, "Rods", "along y, radius 18 mm"),
        (
            "counts",
            {"per_crystal": 3, "counts_per_mm": 0.5},
            "Counts",
            "per crystal 3, counts per mm 0.5",
        ),
        ("injected_bq", "unknown", "Injected activity", "unknown Bq"),
        ("exact", True, "Exact", "yes"),
        ("counts_per_mm", 0.000727885, "Counts per mm", "0.000727885"),
        ("expected", {"randoms": 80_000.0}, "Expected", "randoms 80,000"),
        ("expected", {"trues": 2.5e6}, "Expected", "trues 2,500,000"),
        ("expected", {"trues": 1234567.5}, "Expected", "trues 1.23457e+06"),
        ("activity", 4e20, "Activity", "4e+20"),
    ],
)
def test_fact_has_a_label_and_its_unit(key, value, label, text):
    assert fact_of(key, value) == (label, text)
