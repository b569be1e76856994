"""Tests of PETLINK gating tags: heartbeats, breaths and their times."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.ring import RingScanner, RingSettings
from engine.io.siemens.petlink import AddressBook, decode
from engine.io.siemens.petlink_pieces import is_gating

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=2, n_crystals_per_ring=16, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=1, n_tangential=9, fov_mm=(60, 10), voxel_mm=(3, 3, 3),
    )
)  # fmt: skip
FIRST_MS = 5000


def tag(bits: str) -> int:
    """Return a word from its bits; blanks separate the fields."""
    word = int(bits.replace(" ", ""), 2)
    assert len(bits.replace(" ", "")) == 32
    return word


#        gate  E   -----    C PPP      D
ECG = tag("11100 001 00000000 0 010 00 0000000000")
ECG_2 = tag("11100 001 00000000 0 010 00 0000000001")
ALONE = tag("11100 001 00000000 1 000 00 0000000000")
BREATH = tag("11100 001 00000000 0 001 00 0000000000")
BREATH_ENDS = tag("11100 001 00000000 0 001 00 0000000001")
WAVE = tag("11100 001 00000000 0 101 00 1000000000")
LEGACY = tag("11100 000 0000000000000000 1 0 000000")
LEGACY_PHASE = tag("11100 000 0000000000000000 0 1 101010")
BED = tag("1100 0100 000000000000000000000000")
DEAD_TIME = tag("101 0000000001 0000000000000001000")


def decoded(tags: dict[int, list[int]], n_ms: int = 40):
    """Return a stream with one event per ms and the given tags."""
    words = []
    for ms in range(n_ms):
        words += [0x80000000 | (FIRST_MS + ms), *tags.get(ms, []), 0x40000000 | ms]
    return decode(np.array(words, "<u4"), AddressBook.of(RING), "words")


def test_each_signal_has_its_own_times_since_the_first_tag():
    found = decoded(
        {2: [ECG], 5: [BREATH, ECG_2], 7: [BREATH_ENDS, WAVE], 12: [ECG], 20: [BREATH], 22: [ECG_2]}
    )
    times = {each.name: each.time_ms.tolist() for each in found.triggers}
    assert times == {"ecg": [2, 12], "ecg 2": [5, 22], "respiration": [5, 20]}
    assert found.n_other_tags == 8 and len(found.crystals) == 40


@pytest.mark.parametrize("word", [LEGACY, ALONE])
def test_one_bit_marks_an_r_wave_in_either_format(word: int):
    (found,) = decoded({3: [word], 9: [word, word]}).triggers
    assert (found.name, found.time_ms.tolist()) == ("ecg", [3, 9])


@pytest.mark.parametrize("word", [WAVE, BREATH_ENDS, LEGACY_PHASE, BED, DEAD_TIME, 0xFFFF0000])
def test_other_tags_start_no_cycle(word: int):
    assert decoded({4: [word]}).triggers == ()


def test_only_gating_tags_are_recognised():
    words = np.array([ECG, LEGACY, BED, DEAD_TIME, 0x80000001, 0x40000001, 0x3FFFFFFF], np.uint32)
    assert is_gating(words).tolist() == [True, True, *[False] * 5]
