"""Find gating tags among Siemens PETLINK 32-bit words: starts of heartbeats and breaths.

word >> 27 = 28 is a gating tag; bits 24 to 26 are its format. Format 0: bit 7 is an R wave.
Format 1: bit 15 is an R wave. Otherwise bits 12 to 14 are the trigger type, 1 for breathing and 2
for the heart. Bits 0 to 9 are, for breathing, 0 at the start of the gate and 1 at its end; for the
heart, the lead, from 0. Phases and waveforms are other types and are not used.

References
----------
PETLINK guideline, 32-bit packets, section 3.2.3 (gating).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.timing.triggers import Triggers

GATING = 0b11100
HEART, BREATH = "ecg", "respiration"
LEADS = 3


def is_gating(words: Array) -> NDArray[np.bool_]:
    """Return a mask of the gating tags."""
    return np.asarray((words >> np.uint32(27)) == GATING)


def triggers_in(found: Sequence[tuple[Array, Array]], first_ms: int) -> tuple[Triggers, ...]:
    """Return the triggers of gating tags.

    Parameters
    ----------
    found
        gating tags and the time of each [ms], piece by piece
    first_ms
        time at which the scan began [ms]

    Returns
    -------
    triggers
        signals with at least one cycle
    """
    if not any(len(words) for words, _ in found):
        return ()
    words, clock_ms = (np.concatenate(column) for column in zip(*found, strict=True))
    # The clock is uint32, and a tag before the first time tag would wrap around.
    at_ms = clock_ms.astype(np.int64) - first_ms
    signals = {name: at_ms[which] for name, which in _signals(words).items()}
    return tuple(Triggers.at(name, times) for name, times in signals.items() if len(times))


def _signals(words: Array) -> dict[str, NDArray[np.bool_]]:
    """Return a mask of the tags that begin a cycle, for each signal."""
    expanded, bits = (words >> np.uint32(24)) & 7, words & np.uint32(0xFFFF)
    r_wave = ((expanded == 0) & (bits & (1 << 7) > 0)) | ((expanded == 1) & (bits >> 15 == 1))
    kind = np.where((expanded == 1) & (bits >> 15 == 0), (bits >> 12) & 7, 0)
    which = bits & 0x3FF
    # R waves and lead 0 are the same signal in different formats.
    signals = {HEART: r_wave | ((kind == 2) & (which == 0))}
    for lead in range(1, LEADS):
        signals[f"{HEART} {lead + 1}"] = (kind == 2) & (which == lead)
    signals[BREATH] = (kind == 1) & (which == 0)
    return signals
