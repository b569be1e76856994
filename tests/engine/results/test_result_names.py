"""Tests of the names of results: images of one scan differ in the visible part."""

from datetime import datetime, timedelta
from itertools import combinations

import pytest

from engine.data.runs.record import (
    Level,
    ProtocolIdentity,
    RecordedCorrection,
    RecordedRun,
)
from engine.results import VISIBLE, Named, difference_name, image_names

MORNING = datetime(2026, 11, 28, 9, 30, 5)
LONG = "Whole body, time of flight, of the site"


def row(kind, state):
    level = Level.WARNING if state == "unavailable" else Level.NOTE
    return RecordedCorrection(kind=kind, state=state, level=level, text="")


def run(quality="standard", iterations=6, *, name="Brain FDG", changed=(), **changes):
    fields = {
        "protocol": ProtocolIdentity(name=name, changed=changed),
        "quality": quality,
        "algorithm": "OSEM",
        "iterations_planned": iterations,
        "iterations_done": iterations,
        "subsets": (8,),
        "ending": "done",
        "corrections": (row("scatter", "applied"), row("attenuation", "applied")),
    }
    return RecordedRun(**fields | changes)


NO_SCATTER = (row("scatter", "off"), row("attenuation", "applied"))
NO_MAP = (row("scatter", "applied"), row("attenuation", "unavailable"))
PAIRS = {
    "quality": (run(), run("fine", 12)),
    "quality alone": (run(), run("fine")),
    "iterations": (run(), run(iterations=8)),
    "half an iteration": (run(iterations=6, iterations_done=2.5), run()),
    "scatter off": (run(), run(corrections=NO_SCATTER)),
    "no map": (run(), run(corrections=NO_MAP)),
    "one correction or another": (run(iterations=3, corrections=NO_MAP),
                                  run(iterations=3, corrections=NO_SCATTER)),
    "aborted": (run(), run(ending="aborted")),
    "stopped": (run(ending="aborted"), run(ending="stopped")),
    "converged": (run(), run(ending="converged")),
    "algorithm": (run(), run(algorithm="MLEM")),
    "subsets": (run(), run(subsets=(4,))),
    "frames": (run(frames_planned=4, frames_done=4), run(frames_planned=8, frames_done=8)),
    "frames or none": (run(frames_planned=4, frames_done=4), run()),
    "changed by hand": (run("changed", changed=("filter 4 mm, now 6 mm",)),
                        run("changed", changed=("filter 4 mm, now 2 mm",))),
    "protocol": (run(), run(name="Whole body")),
    "long names": (run(None, name=f"{LONG} A"), run(None, name=f"{LONG} B")),
    "direct": (run(iterates=False, algorithm="FDK", iterations=1), run()),
    "not recorded": (run(None), run(None, name="Cardiac")),
    "nothing": (run(), run()),
}  # fmt: skip


def named(runs, seconds=90.0):
    return [
        Named(str(n), "scan.l", each, MORNING + timedelta(seconds=seconds * n))
        for n, each in enumerate(runs)
    ]


def test_twenty_pairs_are_tested():
    assert len(PAIRS) == 20


@pytest.mark.parametrize("pair", PAIRS)
def test_names_of_two_images_of_a_scan_differ_visibly(pair):
    one, other = image_names(named(PAIRS[pair])).values()
    assert one[:VISIBLE] != other[:VISIBLE], (one, other)


def test_one_frame_and_one_subset_are_singular():
    pair = (run(frames_planned=1, frames_done=1), run(frames_planned=2, frames_done=2))
    assert [each.split(" · ")[1] for each in image_names(named(pair)).values()] == [
        "1 frame", "2 frames",
    ]  # fmt: skip
    pair = (run(subsets=(1,)), run(subsets=(4,)))
    assert [each.split(" · ")[-1] for each in image_names(named(pair)).values()] == [
        "1 subset", "4 subsets",
    ]  # fmt: skip


def test_twenty_pairs_have_different_pairs_of_names():
    assert len({tuple(image_names(named(pair)).values()) for pair in PAIRS.values()}) == 20


def test_names_of_all_forty_images_differ_visibly():
    names = image_names(named([each for pair in PAIRS.values() for each in pair]))
    assert len({name[:VISIBLE] for name in names.values()}) == len(names) == 40


@pytest.mark.parametrize("seconds", [0.0, 0.001, 86_400.0])
def test_hundred_equal_runs_have_different_names(seconds):
    names = image_names(named([run()] * 100, seconds))
    assert len({name[:VISIBLE] for name in names.values()}) == 100


def test_common_names_are_short():
    names = image_names(named([run(), run("fine", 8)]))
    assert list(names.values()) == ["Standard · 6 it.", "Fine · 8 it."]


def test_name_states_a_correction_that_was_off():
    names = image_names(named(PAIRS["scatter off"]))
    assert list(names.values()) == ["Standard · 6 it.", "Standard · 6 it. · scatter off"]


def test_names_of_equal_runs_have_the_time_of_day():
    names = image_names(named(PAIRS["nothing"]))
    assert list(names.values()) == ["Standard · 6 it. · 09:30", "Standard · 6 it. · 09:31"]


def test_waiting_run_is_named_after_its_planned_iterations():
    waits = run(iterations=8, iterations_done=0, ending="running")
    assert image_names(named([waits])) == {"0": "Standard · 8 it."}


def test_results_of_other_scans_do_not_change_a_name():
    alone = Named("a", "one.l", run(), MORNING)
    both = image_names([alone, Named("b", "other.l", run(), MORNING)])
    assert both["a"] == both["b"] == image_names([alone])["a"]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("quality", "Standard − Fine"),
        ("iterations", "6 it. − 8 it."),
        ("nothing", "09:30 − 09:31"),
        ("scatter off", "Standard · 6 it. − Standard · 6 it. · scatter off"),
    ],
)
def test_name_of_a_difference_image_states_only_the_differences(pair, expected):
    assert difference_name(*image_names(named(PAIRS[pair])).values()) == expected


def test_two_sides_of_a_difference_name_differ():
    for pair in PAIRS.values():
        for one, other in combinations(image_names(named(pair)).values(), 2):
            first, second = difference_name(one, other).split(" − ")
            assert first != second
