"""Tests of the texts of numbers, units, errors, and titles."""

import math

import pytest

from app.language.translation import ENGLISH, use_language
from app.views.text import (
    alike,
    image_title,
    length_unit,
    millimetres,
    number,
    place,
    with_error,
    without_zeros,
)
from engine.data import power_of, unit_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.83, "0.83"),
        (0.8349, "0.835"),
        (12.0, "12"),
        (1234.4, "1234"),
        (-0.5, "−0.5"),
        (-1e-9, "−1 × 10⁻⁹"),
        (123456789.0, "123 × 10⁶"),
        (9_000_000.0, "9000000"),
        (1e7, "10 × 10⁶"),
        (2e-4, "0.0002"),
        (2e-5, "20 × 10⁻⁶"),
        (0.5, "0.5"),
        (120.0, "120"),
        (math.inf, "∞"),
        (math.nan, "not a number"),
    ],
)
def test_numbers_have_three_digits_and_a_true_minus(value, text):
    assert number(value) == text


def test_positions_have_one_decimal_and_no_negative_zero():
    assert millimetres(-18.04) == "−18.0"
    assert millimetres(-0.01) == "0.0"
    assert place((12.0, -18.0, 4.1)) == "x 12.0  y −18.0  z 4.1 mm"


def test_lengths_are_in_pixels_only_if_the_pixel_size_is_unknown():
    assert length_unit("1/pixel") == "pixels"
    assert length_unit("1/mm") == length_unit("HU") == length_unit("") == "mm"
    assert place((1.0, 2.0, 3.0), "pixels") == "x 1.0  y 2.0  z 3.0 pixels"


@pytest.mark.parametrize(
    ("largest", "power"),
    [(7.3e-5, -6), (0.0099, -3), (0.0101, 0), (1, 0), (99_999, 0), (2.5e7, 6), (0, 0)],
)
def test_power_of_ten_is_factored_out_of_unreadable_numbers(largest, power):
    assert power_of(largest) == power
    assert power == 0 or 1 <= largest / 10**power < 1000


def test_unit_states_the_power_of_ten():
    assert unit_text("counts/mm", -6) == "×10⁻⁶ counts/mm"
    assert unit_text("HU", 0) == "HU"
    assert unit_text("", 3) == "×10³"


@pytest.mark.parametrize(
    ("label", "title"),
    [
        ("iteration 3", "Iteration 3"),
        ("iteration 3, subset 2", "Iteration 3, subset 2"),
        ("iteration 3 of 12", "Iteration 3 of 12"),
        ("final", "Final"),
        ("all frames", "All frames"),
        ("mni_icbm152_t1_1mm.nii.gz", "mni_icbm152_t1_1mm.nii.gz"),
        ("final.h5", "final.h5"),
    ],
)
def test_file_name_is_the_title(label, title):
    assert image_title(label) == title


@pytest.mark.parametrize(
    ("value", "sd", "text"),
    [
        (4.2134, 0.321, "4.21 ± 0.32"),
        (-4.2134, 0.321, "−4.21 ± 0.32"),
        (4.2, 0.0321, "4.200 ± 0.032"),
        (12345.6, 321.0, "12346 ± 321"),
        (-0.0001, 0.32, "0.00 ± 0.32"),
        (0.5, 0.0, "0.5 ± 0"),
        (3e9, 2e8, "3 × 10⁹ ± 200 × 10⁶"),
        (5.0, math.nan, "5 ± not a number"),
        (4.2134, 3.2e-5, "4.21340 ± 0.00003"),
        (4.2134, 1.2e-9, "4.21340 ± < 0.00001"),
        (3e-7, 1e-7, "300 × 10⁻⁹ ± 100 × 10⁻⁹"),
    ],
)
def test_value_and_its_error_have_the_same_decimals(value, sd, text):
    assert with_error(value, sd) == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.0, 0.5, 1.0], ["0.0", "0.5", "1.0"]),
        ([-0.0, -1.25, 10.0], ["0.00", "−1.25", "10.00"]),
        ([0.0, 20.0], ["0", "20"]),
        ([0.0, 1e9], ["0", "1 × 10⁹"]),
    ],
)
def test_labels_of_an_axis_have_the_same_decimals(values, texts):
    assert alike(values) == texts


@pytest.mark.parametrize(
    ("sd", "text"), [(0.32, "4.2 ± 0.3"), (0.096, "4.2 ± 0.1"), (0.0321, "4.21 ± 0.03")]
)
def test_error_can_have_one_digit(sd, text):
    assert with_error(4.2134, sd, 1) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.0020", "0.002"),
        ("0.0000", "0"),
        ("−1.50", "−1.5"),
        ("200", "200"),
        ("1.20 × 10⁻⁶", "1.20 × 10⁻⁶"),
    ],
)
def test_ticks_have_no_trailing_zeros(text, shown):
    assert without_zeros(text) == shown


@pytest.mark.parametrize(
    ("label", "english", "german"),
    [
        ("iteration 2", "Iteration 2", "Iteration 2"),
        ("iteration 2 of 8", "Iteration 2 of 8", "Iteration 2 von 8"),
        ("iteration 2, subset 3", "Iteration 2, subset 3", "Iteration 2, Teilmenge 3"),
        (
            "iteration 2 of 8, subset 3",
            "Iteration 2 of 8, subset 3",
            "Iteration 2 von 8, Teilmenge 3",
        ),
        ("final", "Final", "Endbild"),
        ("frame 2, subset 3", "Frame 2, subset 3", "Zeitabschnitt 2, Teilmenge 3"),
        ("frame 2 of 8", "Frame 2 of 8", "Zeitabschnitt 2 von 8"),
        (
            "frame 2 of 8, 0.5 to 1e+3 s",
            "Frame 2 of 8, 0.5 to 1e+3 s",
            "Zeitabschnitt 2 von 8, 0.5 bis 1e+3 s",
        ),
    ],
)
def test_title_of_an_image_is_in_the_language_of_the_window(label, english, german):
    assert image_title(label) == english
    use_language("de")
    try:
        assert image_title(label) == german
    finally:
        use_language(ENGLISH)
