"""Tests of numbers as text."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.data.formatting import PREFIXES, number_text, quantities, quantity, scaled_number


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (7.3e-5, "counts/mm", "73 × 10⁻⁶ counts/mm"),
        (4.65e7, "Bq", "46.5 MBq"),
        (7300.0, "Bq/mL", "7.3 kBq/mL"),
        (0.0123, "Bq/mL", "12.3 mBq/mL"),
        (-3.25e5, "Bq", "−325 kBq"),
        (0.0, "Bq", "0 Bq"),
        (6586.2, "s", "109.8 min"),
        (90.0, "s", "90 s"),
        (36_000.0, "s", "10 h"),
        (0.0096, "1/mm", "0.0096 1/mm"),
        (-1000.0, "HU", "−1,000 HU"),
        (999_999.6, "", "1,000,000"),
        (9999.96e5, "", "1 × 10⁹"),
        (math.nan, "HU", "not a number HU"),
        (-math.inf, "", "−∞"),
    ],
)
def test_number_has_a_readable_text(value, unit, text):
    assert quantity(value, unit) == text


def test_number_text_reads_back_as_the_value():
    """The text reads back as the value to its digits, for all magnitudes and without an e."""
    back = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
    for value in np.random.default_rng(5).normal(size=200) * 10.0 ** np.arange(-100, 100):
        text = number_text(float(value))
        mantissa, _, power = text.replace("−", "-").replace(",", "").partition(" × 10")
        read = float(mantissa) * 10.0 ** int(power.translate(back) or 0)
        assert "e" not in text and len(mantissa) <= 9
        assert read == pytest.approx(value, rel=1e-3)
    prefixes = {letter: 10.0**power for power, letter in PREFIXES.items()}
    for value in (3e-7, 0.02, 5.0, 7e3, 2e8, 4e12):
        number, unit = quantity(value, "Bq").split(" ")
        assert float(number.replace(",", "")) * prefixes[unit[:-2]] == pytest.approx(value)


def test_compared_values_share_one_unit():
    """Texts read back as their values, in the same unit and with at most one power of ten."""
    for largest, unit in ((2e-3, "counts/mm"), (7e3, "Bq/mL"), (3.0, "HU"), (4e8, "counts")):
        values = [largest, -largest / 7, largest / 313, 0.0]
        texts = quantities(values, unit, largest, figures=6)
        units = {text.partition(" ")[2] for text in texts}
        assert len(units) == 1
        (named,) = units
        back = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
        _, _, power = named.partition("×10")
        scale = 10.0 ** int(power.split()[0].translate(back)) if power else 1.0
        scale *= 1e3 if named == "kBq/mL" else 1.0
        for value, text in zip(values, texts, strict=True):
            number = text.partition(" ")[0].replace("−", "-").replace(",", "")
            assert float(number) * scale == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("value", [6.24e-5, 1e-9, -3.2e-7, 999.0, 123456.0, math.nan])
def test_scaled_number_has_no_power_of_ten(value):
    assert "10" not in scaled_number(value).replace(",", "")
