"""Tests of the bars of stage timings."""

import numpy as np
import pytest

from app.views.colour.colours import DARK
from app.views.plots.stage_bars import StageBars, seconds_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.004, "4 ms"), (0.23, "0.23 s"), (12.4, "12.4 s"), (131.2, "2:11 min"), (99.97, "1:40 min")],
)
def test_durations_are_shown_as_clock_times(seconds, text):
    assert seconds_text(seconds) == text


def test_bar_lengths_follow_the_stage_times(show, pixels):
    bars = show(StageBars(), 500, 80)
    bars.set_stages([("read", 1.0), ("projection", 4.0)])
    image = pixels(bars)
    lengths = np.sort((image == int("ff" + DARK.accent[1:], 16)).sum(axis=1))
    long, short = lengths[-1], lengths[lengths < lengths[-1] / 2].max()
    assert long / short == pytest.approx(4, rel=0.05)


def test_each_stage_has_its_row(qapp, qtbot):
    bars = StageBars()
    qtbot.addWidget(bars)
    few = bars.sizeHint().height()
    bars.set_stages([(f"stage {i}", 1.0) for i in range(8)])
    assert bars.sizeHint().height() > 3 * few


def test_zero_durations_are_drawn_without_error(show, pixels):
    bars = show(StageBars(), 400, 60)
    bars.set_stages([("read", 0.0)])
    assert pixels(bars).any()
