"""Tests that names of flats decide whether they belong to a scan."""

from pathlib import Path

import pytest

from engine.raw_import.files import belongs

HOME = Path("/data")


@pytest.mark.parametrize(
    ("images", "prefix", "scan", "scan_prefix", "is_of_scan"),
    [
        ("tooth2_flats", "w", "tooth2/views", "one_", True),
        ("tooth2_scan1_flats", "w", "tooth2/scan1", "view_", True),
        ("tooth2/flats", "7_", "tooth2/views", "one_", True),
        ("tooth3_flats", "w", "tooth2/views", "one_", False),
        # a date in a folder name is not a scan number
        ("day2/tooth2_flats", "w", "day2/tooth", "one_", False),
        ("day2/scans/one2_white", "", "day2/scans", "one_", False),
        ("day2/one_2_white", "", "day2/one", "view_", False),
        ("day2/one", "one_white_2", "day2/one", "one_", False),
    ],
)
def test_number_in_a_parent_folder_is_not_the_scan_number(
    images: str, prefix: str, scan: str, scan_prefix: str, *, is_of_scan: bool
) -> None:
    assert belongs(HOME / images, prefix, HOME / scan, scan_prefix) is is_of_scan
