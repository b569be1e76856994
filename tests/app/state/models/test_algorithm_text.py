"""Test that the description of the algorithm states only numbers that the run uses."""

from __future__ import annotations

import re

import pytest

from app.state.models.protocols.text import algorithm_text, facts_of
from engine.algorithms import Mlem, Osem, Svrg
from engine.modalities import ListModeProtocol
from engine.recon.algorithms.subsets import CountDemand

FEW = CountDemand(n_counts=60_000, in_subset=20_000, for_image=1_000)


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        (Osem(), "OSEM, iterations and subsets fitted to the counts"),
        (Osem(updates=48), "OSEM, 48 updates, in iterations and subsets fitted to the counts"),
        (Osem(iterations=6), "OSEM, 6 iterations, subsets fitted to the counts"),
        (Osem(iterations=1), "OSEM, 1 iteration, subsets fitted to the counts"),
        (Osem(subsets=8), "OSEM, 8 subsets, iterations fitted to the counts"),
        (Osem(iterations=6, subsets=8), "OSEM, 6 iterations × 8 subsets"),
        (Mlem(iterations=9), "MLEM, 9 iterations"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_only_numbers_fixed_by_the_settings_are_stated(algorithm, words):
    protocol = ListModeProtocol(name="P", algorithm=algorithm)
    assert algorithm_text(protocol) == words
    assert words in [text for _, text in facts_of(protocol)]


def test_stated_numbers_do_not_change_with_the_counts():
    for algorithm in (Osem(), Osem(updates=48), Osem(iterations=6), Osem(iterations=6, subsets=8)):
        ran = algorithm.for_counts(FEW)
        words = algorithm_text(ListModeProtocol(name="P", algorithm=algorithm))
        for number, name in re.findall(r"(\d+) (iterations|subsets)", words):
            assert int(number) == getattr(ran, name), words
    assert Osem().for_counts(FEW).describe() != Osem().describe(), (
        "this scan has too many counts to change the settings"
    )


def test_map_states_its_maximum_and_its_prior():
    words = algorithm_text(ListModeProtocol(name="P", algorithm=Svrg()))
    assert words.startswith("MAP, at most 20 iterations") and "fitted" not in words
