"""Tests of angles from views, from numbers in file names, and from lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.io.safety.open_input import open_input
from engine.raw_import.angle_evidence import ImageCounts, in_file, in_names
from engine.raw_import.rotation import ViewAngles, from_views, of_list, sampled
from tests.engine.raw_import.scans import integrals

VIEWS = np.arange(72) * 5.0


@pytest.mark.parametrize("total", [180.0, 360.0])
@pytest.mark.parametrize("n_views", [72, 181, 360])
@pytest.mark.parametrize("first", [0.0, 33.0])
def test_first_and_last_views_determine_the_angular_range(
    total: float, n_views: int, first: float
) -> None:
    steps = n_views - (n_views == 181)
    every = integrals(n_views, total * n_views / steps, first_deg=first).mean(axis=1)
    turn = from_views(every[sampled(n_views)], n_views, parallel=True)
    assert turn.is_sure
    assert turn.table["step"] == pytest.approx(total / steps)


def test_third_of_a_turn_requires_a_question() -> None:
    every = integrals(72, 120.0).mean(axis=1)
    assert not from_views(every[sampled(72)], 72, parallel=True).is_sure


@pytest.mark.parametrize(
    "name", ["a_{k:03}_{a:.1f}deg", "ang{a:05.1f}", "bean_{a:+07.2f}", "rot{a:.0f}_{k:04}"]
)
def test_angles_in_file_names_are_found(name: str) -> None:
    files = [Path(name.format(k=k, a=angle) + ".tif") for k, angle in enumerate(VIEWS)]
    turn = in_names(files)
    assert isinstance(turn, ViewAngles)
    assert turn.table == {"first": 0.0, "step": pytest.approx(5.0)}


def test_counters_in_file_names_are_not_angles() -> None:
    assert in_names([Path(f"scan2_{k:04}.tif") for k in range(50)]) is None
    assert in_names([Path(f"{k}.tif") for k in range(50)]) is None


@pytest.mark.parametrize(
    ("front", "end", "parts"),
    [(0, 0, None), (3, 0, [[0, 2]]), (0, 3, [[72, 74]]), (2, 3, [[0, 1], [74, 76]])],
)
def test_list_including_flat_angles_is_read(
    tmp_path: Path, front: int, end: int, parts: list[list[int]] | None
) -> None:
    listed = [0.0] * front + VIEWS.tolist() + [VIEWS[-1]] * end
    (tmp_path / "angles.txt").write_text("".join(f"{each}\n" for each in listed))
    counts = ImageCounts(72, n_flats=max(front, end), n_darks=min(front, end))
    with open_input(tmp_path / "angles.txt") as file:
        turn = in_file(file, "angles.txt", counts)
    assert isinstance(turn, ViewAngles)
    assert turn.table.get("leave_out") == parts
    assert turn.table["file"] == "angles.txt"


def test_text_without_numbers_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("this is no list\n")
    with open_input(tmp_path / "log.txt") as file:
        assert in_file(file, "log.txt", ImageCounts(72)) is None


def test_lists_of_other_lengths_and_in_radians_are_handled() -> None:
    assert of_list(VIEWS[:-1], 72, 0, 0) is None
    assert of_list(np.append(VIEWS, 1.0), 72, 5, 3) is None
    assert of_list(np.zeros(72), 72, 0, 0) is None
    turn = of_list(np.deg2rad(VIEWS), 72, 0, 0)
    assert turn is not None
    assert turn.table == {"unit": "rad"}
