"""Tests of messages for invalid settings, with suggestions."""

from __future__ import annotations

import pytest

from engine.core.errors import SettingsError
from engine.core.settings.keys import nearest_key
from engine.modalities.studies import find_protocol
from engine.protocols.study.assignments import with_settings

FAULTS = {
    "algorithm.iteration=6": "unknown key 'algorithm.iteration' (did you mean "
    "'algorithm.iterations'?).",
    "iterations=6": "unknown key 'iterations' (did you mean 'algorithm.iterations'?).",
    "algorithm.edge=3": "unknown key 'algorithm.edge' (did you mean 'algorithm.edges'?).",
    "algoritm.iterations=6": "there is no group 'algoritm' (did you mean 'algorithm'?)",
    "corrections.scater.use=on": "there is no group 'corrections.scater' (did you mean 'scatter'?)",
    "algorithm=mlme": "algorithm: there is no kind 'mlme'; did you mean 'mlem'?",
    "algorithm=5": "algorithm: expected a group of settings, got 5",
    "algorithm.iterations=0": "algorithm.iterations: expected a number of at least 1, got 0",
    "algorithm.iterations=5000": "expected a number of at most 1000, got 5000",
    "algorithm.iterations=six": "expected a whole number, got 'six'",
    "algorithm.iterations=1.5": "expected a whole number, got 1.5",
    "corrections.scatter.use=yes": "expected 'auto', 'on' or 'off', got 'yes'",
    "time_of_flight=perhaps": "expected true or false, got 'perhaps'",
    "grid.voxel_mm=2": "grid.voxel_mm: expected three numbers, such as [2, 2, 2], got 2",
    "grid.voxel_mm=2,2": "grid.voxel_mm: expected three numbers, such as [2, 2, 2], got [2, 2]",
    "grid.voxel_mm=2,2,2,2": "expected three numbers, such as [2, 2, 2], got [2, 2, 2, 2]",
    "grid.diameter_mm=-1": "grid.diameter_mm: expected a number above 0, got -1",
    "algorithm.prior=huber": "'algorithm.prior' needs algorithm.kind = 'map' or 'bsrem'.",
    "finishing=gaussian": "finishing: expected a list, got 'gaussian'",
}


@pytest.mark.parametrize("assignment", FAULTS)
def test_invalid_setting_gives_the_programs_own_message(assignment: str) -> None:
    with pytest.raises(SettingsError) as raised:
        with_settings(find_protocol("brain-fdg"), (assignment,))
    assert FAULTS[assignment] in str(raised.value)
    assert "Input should" not in str(raised.value) and "valid" not in str(raised.value)


def test_kinds_and_lists_need_no_brackets() -> None:
    protocol = with_settings(
        find_protocol("brain-fdg"), ("algorithm=mlem", "grid.voxel_mm=2, 3,4.5", "frames=10,20")
    )
    assert protocol.algorithm.kind == "mlem"
    assert protocol.grid.voxel_mm == (2, 3, 4.5)
    assert protocol.frames == "10,20"  # text is not converted


def test_kind_without_settings_uses_its_defaults() -> None:
    long, short = (
        with_settings(find_protocol("brain-fdg"), (each,))
        for each in ("algorithm.kind=mlem", "algorithm=mlem")
    )
    assert long == short


def test_dissimilar_word_has_no_suggestion() -> None:
    assert nearest_key("xyz", ["algorithm.iterations", "grid.voxel_mm"]) == ""
