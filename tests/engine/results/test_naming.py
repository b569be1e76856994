"""Tests of the default file names of exported images."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from engine.io.names import refuse_unusable_name
from engine.results import default_export_name

MADE = datetime(2026, 11, 22, 14, 3, 59)


@pytest.mark.parametrize(
    ("scan", "protocol", "part", "name"),
    [
        ("/a/b/scan.l.hdr", "Brain FDG", "", "scan_Brain-FDG_2026-11-22_14-03"),
        ("scan", "Fast", "iteration 3", "scan_Fast_2026-11-22_14-03_iteration-3"),
        ("Prüfling 7.h5", "../../etc", "", "Prüfling-7_etc_2026-11-22_14-03"),
        (".hidden", "a/b\\c:d*e", "", "hidden_a-b-c-d-e_2026-11-22_14-03"),
        ("...", "", "", "2026-11-22_14-03"),
    ],
)
def test_name_contains_scan_protocol_part_and_time(scan, protocol, part, name):
    assert default_export_name(scan, protocol, MADE, part) == name


def test_every_name_is_a_valid_file_name(tmp_path):
    name = default_export_name(Path("x" * 255), "y" * 255, MADE, "z" * 255) + ".nii.gz"
    assert len(name.encode()) < 220
    (tmp_path / name).touch()
    wide = default_export_name("語" * 80, "語" * 80, MADE, "語" * 80)
    assert len(wide.encode()) < 220 and "�" not in wide


@pytest.mark.parametrize("word", ["CON", "nul.l", "com1", "aux .h5", "...", "a. ", ""])
def test_reserved_windows_names_are_avoided(word: str) -> None:
    for scan, protocol in ((word, ""), ("", word), (word, word)):
        refuse_unusable_name(default_export_name(scan, protocol, datetime(2026, 11, 22)))
