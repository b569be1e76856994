"""Test uneven angles in 20 dialects: nearly all are read, and never as even steps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.io import read_projections
from engine.io.xray.sidecar.scan import orbit_of
from engine.raw_import import Answers, draft_of, write_draft
from tests.engine.raw_import.angle_dialects import (
    DIALECTS,
    ROUNDING_DEG,
    SEEDS,
    Case,
    write_case,
)

PARALLEL = Answers(beam="parallel", pixel="1")
MIN_READ = 18
"""Number of the 20 dialects that are read without a question in every folder."""


def outcome(case: Case) -> str:
    """Import a case; return "read", "asked", "even" or "wrong" for its angles."""
    draft = draft_of(case.folder, PARALLEL)
    if any(each.key == "angles" for each in draft.questions):
        return "asked"
    if "assumed" in draft.table["geometry"]["angles"]:
        return "even"
    geometry = orbit_of(draft.settings, draft.shape, draft.path)
    if not case.seed:  # the complete import, once per dialect
        geometry = read_projections(write_draft(draft)).geometry
    found = np.rad2deg(geometry.angles_rad)
    expected = np.sort(case.angles_deg) if case.dialect == "in names" else case.angles_deg
    away = (found - expected + 180) % 360 - 180
    return "read" if np.abs(away).max() <= ROUNDING_DEG else "wrong"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counter[str]]:
    """Return the outcomes of the five folders of each dialect."""
    root = tmp_path_factory.mktemp("dialects")
    return {
        dialect: Counter(outcome(write_case(root / f"{k}-{seed}", dialect, seed)) for seed in SEEDS)
        for k, dialect in enumerate(DIALECTS)
    }


@pytest.mark.essential
def test_no_folder_is_read_with_even_steps_or_wrong_angles(
    outcomes: dict[str, Counter[str]],
) -> None:
    assert sum(each.total() for each in outcomes.values()) == 100
    assert sum(each["even"] + each["wrong"] for each in outcomes.values()) == 0, outcomes


def test_nearly_all_dialects_are_read_without_a_question(
    outcomes: dict[str, Counter[str]],
) -> None:
    read = [dialect for dialect, each in outcomes.items() if each["read"] == len(SEEDS)]
    assert len(read) >= MIN_READ, outcomes
