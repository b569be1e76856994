"""Tests of the timeline: position and colour of calls, legend, and size."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF

from app.views.plots.timeline import GAP_PX, LANE_PX, MAX_LANES, Call, Timeline

CALLS = (
    Call("Upload", "Copies", 0.0, 1.0, "2.0 GB/s"),
    Call("Forward", "Kernels", 1.0, 2.0),
    Call("Back", "Kernels", 3.0, 0.0),
    Call("Forward", "Kernels", 6.0, 4.0),
)


@pytest.fixture
def timeline(qtbot) -> Timeline:
    view = Timeline()
    qtbot.addWidget(view)
    view.set_calls(CALLS)
    view.resize(500, view.sizeHint().height())
    view.show()
    return view


def at(timeline: Timeline, lane: int, part: float) -> Call | None:
    """Return the call at a fraction of the time, 0 to 1."""
    left = timeline._label_width_px()
    x = left + part * (timeline.width() - left)
    return timeline.call_at(QPointF(x, lane * (LANE_PX + GAP_PX) + LANE_PX / 2))


def test_calls_are_at_their_times(timeline):
    assert at(timeline, 0, 0.05) == CALLS[0]
    assert at(timeline, 0, 0.5) is None
    assert at(timeline, 1, 0.05) is None
    assert at(timeline, 1, 0.2) == CALLS[1]
    assert at(timeline, 1, 0.301) == CALLS[2], "a call without duration was not found"
    assert at(timeline, 1, 0.95) == CALLS[3]
    assert at(timeline, 2, 0.5) is None, "a call was found in a missing lane"


def test_equal_stages_have_one_colour_and_different_ones_differ(timeline):
    names = {each.name for each in CALLS}
    assert len({timeline._colour(name).rgb() for name in names}) == len(names)
    shown = timeline.grab().toImage()
    left, scale = timeline._label_width_px(), (timeline.width() - timeline._label_width_px()) / 10
    row = LANE_PX + GAP_PX + LANE_PX // 2
    first, last = (shown.pixelColor(round(left + t * scale), row) for t in (2, 8))
    assert first.rgb() == last.rgb() == timeline._colour("Forward").rgb()


def test_legend_names_every_stage_within_the_width(timeline, qtbot):
    for width in (180, 260, 900):
        timeline.resize(width, 200)
        metrics = timeline.fontMetrics()
        rows = timeline._key_rows(metrics, float(width))
        assert [name for row in rows for name in row] == ["Upload", "Forward", "Back"]


def test_timeline_of_many_threads_has_a_limited_height(qtbot):
    timeline = Timeline()
    qtbot.addWidget(timeline)
    timeline.set_calls([Call("Sort", f"Thread {n}", n, 1.0) for n in range(40)])
    assert timeline.sizeHint().height() < (MAX_LANES + 4) * (LANE_PX + GAP_PX)
    timeline.set_calls([])
    timeline.show()
    timeline.grab()
