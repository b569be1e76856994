"""Test that technical terms of the window have explanations."""

from __future__ import annotations

import pytest

from app.ui.theme.glossary import GLOSSARY, meaning_of
from engine.modalities import MODALITIES

SHOWN = sorted(
    {
        title
        for modality in MODALITIES
        for title in (
            modality.curve[0],
            *modality.stages.values(),
            *(kind.title for kind in modality.ledger),
            *(switch.title for switch in modality.switches),
        )
    }
)


@pytest.mark.parametrize("title", SHOWN)
def test_every_correction_step_stage_and_curve_is_explained(title):
    assert meaning_of(title)


def test_glossary_is_sorted_and_has_full_sentences():
    words = [word.replace("μ", "mu").casefold() for word in GLOSSARY]
    assert words == sorted(words)
    assert all(text.endswith(".") and "  " not in text for text in GLOSSARY.values())


def test_unknown_term_has_no_explanation():
    assert meaning_of("Speed") == meaning_of("") == ""
    assert meaning_of("Iterations") == GLOSSARY["Iteration"]
