"""Tests of the ADAC reader: positions in our axes, refusal of every faulty text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.io import inspect, read_listmode

HEADER = "A camera\n\nSeparation=   712\nFixed slices:    250 events/slice\n\n"
EVENTS = "  0.9\t303.0\t297.0\t309.0\t297.0\n  1.2\t497.9\t560.0\t102.1\t40.0\n"


def write(folder: Path, text: str) -> Path:
    (folder / "scan.csv").write_text(text)
    return folder / "scan.csv"


def test_positions_follow_the_documentation(tmp_path: Path) -> None:
    """x = file x - 300, y = file z - 356, z = 300 - file y, within half a bin of 6 mm."""
    data = read_listmode(write(tmp_path, HEADER + "1 255 345 327 189\n2 120 60 480 540\n"))
    first, second = data.scanner.positions_mm[data.crystals].swapaxes(0, 1)
    np.testing.assert_allclose(first, [[-45, -356, -45], [-180, -356, 240]], atol=3.01)
    np.testing.assert_allclose(second, [[27, 356, 111], [180, 356, -240]], atol=3.01)
    np.testing.assert_allclose(first[:, 1], -356, atol=0.3)
    assert data.info["coordinates"].startswith("x = file x − 300 mm, y = file z − 356 mm")
    assert data.info["axes"] == "xyz"


def test_our_axes_are_a_rotation_of_those_of_the_file(tmp_path: Path) -> None:
    points = np.array([[330, 300, 0], [300, 330, 0], [300, 300, 712]], float)  # x, y, z in the file
    lines = [f"1 {x:g} {y:g} {x:g} {y:g}" for x, y, _ in points]
    data = read_listmode(write(tmp_path, HEADER + "\n".join(lines) + "\n"))
    near, far = data.scanner.positions_mm[data.crystals].swapaxes(0, 1)
    ours = np.array([near[0] - near[2], near[1] - near[2], far[2] - near[2]])
    theirs = np.array([[30, 0, 0], [0, 30, 0], [0, 0, 712]], float)
    assert np.linalg.det(ours @ np.linalg.inv(theirs)) == pytest.approx(1, abs=0.01)


def test_events_outside_the_heads_and_a_final_comment_are_skipped(tmp_path: Path) -> None:
    outside = "2.0 600 300 300 300\n"
    data = read_listmode(write(tmp_path, HEADER + EVENTS + outside + "end of run\n"))
    assert data.n_events == 2
    assert "1 events outside the heads" in data.notes[0]
    assert data.time_ms.tolist() == [0, 0]


def test_stated_distance_sets_the_heads(tmp_path: Path) -> None:
    data = read_listmode(write(tmp_path, HEADER.replace("712", "500") + EVENTS))
    y = data.scanner.positions_mm[data.crystals][..., 1]
    np.testing.assert_allclose(y, [[-250, 250]] * 2, atol=0.3)
    assert data.scanner.settings.n_planes % 2 == 1
    assert "500 mm apart" in data.notes[0]
    with pytest.raises(
        GeometryError, match="heads are 500 mm apart, but those of 'ADAC positron camera'"
    ):
        read_listmode(tmp_path / "scan.csv", scanner="adac")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEADER, "no line with the five numbers"),
        (HEADER + EVENTS + "3 4 5 6\n" + EVENTS, r"line 8 is '3 4 5 6', expected the five"),
        (
            HEADER + EVENTS + "3 4 nan 6 7\n" + EVENTS,
            "event 2 contains NaN or infinite values",
        ),
        (HEADER + "-5 300 300 300 300\n", "times run from -5 to -5 ms"),
        (
            HEADER.replace("712", "7.1.2") + EVENTS,
            "'separation' is '7.1.2', expected the separation of the heads in mm",
        ),
        (HEADER.replace("712", "12") + EVENTS, "which leaves no space for an image"),
    ],
)
def test_faulty_text_gives_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises((FileFormatError, GeometryError), match=rf"^scan\.csv: .*{sentence}.*\.$"):
        read_listmode(write(tmp_path, text))


def test_other_scanner_is_refused(tmp_path: Path) -> None:
    for scanner, sentence in (
        ("demo-ring", "does not have two single-layer panels"),
        ("dhapet", "heads are 712 mm apart"),
    ):
        with pytest.raises(EngineError, match=sentence):
            read_listmode(write(tmp_path, HEADER + EVENTS), scanner=scanner)


def test_inspection_names_the_format(tmp_path: Path) -> None:
    report = inspect(write(tmp_path, HEADER + EVENTS))
    assert report.usable and report.format == "ADAC list mode"
    assert dict(report.facts)["Coordinates"].startswith("x = file x")
