"""Figures and what their names mean."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from app.analysis.measure.figure_table import FigureTable
from app.ui.theme.glossary import GLOSSARY, meaning_of


def test_the_name_of_a_figure_says_what_it_means(qtbot):
    table = FigureTable()
    qtbot.addWidget(table)
    table.show_rows([("Spill-over", ""), ("   water", "3 %"), ("Standard deviation", "0.2 kBq/mL")])
    tips = {each.text().strip(): each.toolTip() for each in table.findChildren(QLabel)}
    assert "region without activity" in tips["Spill-over"]
    assert "noise" in tips["Standard deviation"]
    assert tips["water"] == "", "no word of the field"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Contrast recovery", "Contrast recovery"),
        ("Contrast-to-noise ratio", "Contrast-to-noise ratio"),
        ("Contrast", "Contrast"),
        ("FWHM, fitted", "FWHM"),
    ],
)
def test_the_longest_word_that_fits_is_meant(said, meant):
    assert meaning_of(said) == GLOSSARY[meant]


def test_what_is_no_word_of_the_field_has_no_meaning():
    assert meaning_of("End 1") == ""
