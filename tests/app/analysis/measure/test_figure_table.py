"""Tests of the explanations of names in the table of measured values."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from app.analysis.measure.figure_table import FigureTable
from app.ui.theme.glossary import GLOSSARY, meaning_of


def test_name_of_a_value_has_an_explanation(qtbot):
    table = FigureTable()
    qtbot.addWidget(table)
    table.show_rows([("Spill-over", ""), ("   water", "3 %"), ("Standard deviation", "0.2 kBq/mL")])
    tips = {each.text().strip(): each.toolTip() for each in table.findChildren(QLabel)}
    assert "region without activity" in tips["Spill-over"]
    assert "noise" in tips["Standard deviation"]
    assert tips["water"] == "", "water is not a technical term"


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("Contrast recovery", "Contrast recovery"),
        ("Contrast-to-noise ratio", "Contrast-to-noise ratio"),
        ("Contrast", "Contrast"),
        ("FWHM, fitted", "FWHM"),
    ],
)
def test_longest_matching_glossary_entry_is_used(name, entry):
    assert meaning_of(name) == GLOSSARY[entry]


def test_unknown_name_has_no_explanation():
    assert meaning_of("End 1") == ""
