"""Tests of angle lists in further text formats: read, or a question with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import open_input
from engine.io.xray.text.angle_text import TextAngles, UnclearAngles, angles_in_text, choose
from engine.io.xray.text.number_lists import content_of, decoded

N = 40
UNEVEN = np.r_[np.arange(20) * 2.0, 40 + np.arange(20) * 4.0]
GOLDEN = np.round(np.arange(N) * 111.246118 % 180, 4)
NEGATIVE = np.round(np.linspace(-90, 89, N) + np.sin(np.arange(N)), 3)
Angles = np.ndarray


def rows(pattern: str, angles: Angles, title: str = "", end: str = "\n") -> str:
    return title + "".join(
        pattern.format(k=k, a=a, t=0.5 * k, comma=f"{a}".replace(".", ",")) + end
        for k, a in enumerate(angles)
    )


READ: dict[str, tuple[str, Callable[[Angles], str]]] = {
    "xml": (
        "scan.xml",
        lambda a: (
            rows(
                '<view id="{k}"><angle unit="deg">{a}</angle><time>{t}</time></view>',
                a,
                "<scan>",
                "",
            )
            + "</scan>"
        ),
    ),
    "yaml": ("scan.yaml", lambda a: rows("- angle: {a}\n  time: {t}", a, "views:\n")),
    "degree sign": ("a.txt", lambda a: rows("{a}°", a)),
    "unnamed columns": ("data.csv", lambda a: rows("{k},{a}", a)),
    "unnamed, a constant": ("data.csv", lambda a: rows("{k};{a};0.5", a)),
    "decimal commas in columns": ("data.txt", lambda a: rows("{k}\t{comma}", a)),
    "decimal commas in a line": ("a.txt", lambda a: rows("{comma}", a, end=";")),
    "time stamps": ("log.csv", lambda a: rows("2024-01-01T00:{k:02d}:00,{a}", a, "stamp,theta\n")),
    "transposed": (
        "t.csv",
        lambda a: f"index,{','.join(map(str, range(N)))}\nangle,{','.join(map(str, a))}\n",
    ),
    "markdown": ("t.md", lambda a: rows("| {k} | {a} |", a, "| view | angle |\n|---|---|\n")),
    "settings": ("s.ini", lambda a: f"[scan]\nangles = {'; '.join(map(str, a))}\nkv = 30\n"),
    "quoted": ("q.csv", lambda a: rows('"{k}","{a}"', a, '"n","Rotation angle"\n')),
    "messages": ("run.log", lambda a: rows("[INFO] 12:00:{k:02d} frame {k} rotation={a} deg", a)),
    "head": ("p.txt", lambda a: rows("{k}  {a}", a, "Scan 12\nDate 2024-05-06\n\nNo.  Theta\n")),
    "json dictionary": ("p.json", lambda a: json.dumps({str(k): x for k, x in enumerate(a)})),
    "commas at ends": ("p.txt", lambda a: rows("{a},", a)),
    "two columns of units": (
        "s.csv",
        lambda a: (
            "i,angle_deg,angle_rad\n"
            + "".join(f"{k},{x},{np.radians(x):.7f}\n" for k, x in enumerate(a))
        ),
    ),
    "milli-degrees": (
        "s.txt",
        lambda a: "# angles in milli-degrees\n" + "".join(f"{1000 * x:.0f}\n" for x in a),
    ),
    "seconds of arc": (
        "s.csv",
        lambda a: "n,angle [arcsec]\n" + "".join(f"{k},{3600 * x:.0f}\n" for k, x in enumerate(a)),
    ),
}
"""By dialect: file name, and the writer of the text."""


def chosen(name: str, text: str) -> TextAngles | UnclearAngles | None:
    content = decoded(text.encode())
    assert content is not None
    return choose(content_of(content), name, (N, N + 2))


@pytest.mark.parametrize("angles", [UNEVEN, GOLDEN, NEGATIVE], ids=["uneven", "golden", "negative"])
@pytest.mark.parametrize("dialect", READ)
def test_list_of_angles_is_read(dialect: str, angles: Angles) -> None:
    name, write = READ[dialect]
    found = chosen(name, write(angles))
    assert isinstance(found, TextAngles), found
    degrees = np.rad2deg(found.values) if found.unit == "rad" else found.values
    np.testing.assert_allclose(degrees, angles, atol=1.1e-3)  # millidegrees are stored as integers


QUESTIONS = {
    "two lists of angles": (
        "s.csv",
        "i,nominal angle,measured angle\n"
        + "".join(f"{k},{2 * k},{2 * k + 0.3 * (k % 3)}\n" for k in range(N)),
        r"2 lists could be the angles .* --angles s\.csv#2\.",
    ),
    "counts of an encoder": (
        "encoder.txt",
        "".join(f"{12345 + 777 * k + k % 3}\n" for k in range(N)),
        r"contains 40 numbers, one per view, .* --angles encoder\.txt#1 .* --angles 180\.",
    ),
    "counts of an encoder called angles": (
        "angles.txt",
        "".join(f"{12345 + 777 * k + k % 3}\n" for k in range(N)),
        "more than ten turns in degrees; state the unit",
    ),
    "only a counter": ("index.txt", "".join(f"{k}\n" for k in range(N)), "one per view"),
    "one angle too few": (
        "angles.txt",
        "".join(f"{2.5 * k + k % 2}\n" for k in range(N - 1)),
        "39 angles for 40 views; correct the list",
    ),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_possible_angles_are_asked_about(kind: str) -> None:
    name, text, match = QUESTIONS[kind]
    found = chosen(name, text)
    assert isinstance(found, UnclearAngles)
    assert re.search(match, found.text)


@pytest.mark.parametrize(
    "text", ["".join(f"scan_{k:04d}.tif\n" for k in range(N)), "0.5\n" * N, "a note on 3 beans\n"]
)
def test_file_names_and_constants_are_not_angles(text: str) -> None:
    assert chosen("list.txt", text) is None


@pytest.mark.parametrize("column", ["2", "measured"])
def test_column_is_named_by_number_or_title(tmp_path: Path, column: str) -> None:
    path = tmp_path / "stage.csv"
    path.write_text(rows("{k},{a},7", UNEVEN, "i,measured angle,nominal angle\n"))
    with open_input(path) as file:
        np.testing.assert_array_equal(angles_in_text(file, (N,), column).values, UNEVEN)
        with pytest.raises(FileFormatError, match="has no column 'height'"):
            angles_in_text(file, (N,), "height")
