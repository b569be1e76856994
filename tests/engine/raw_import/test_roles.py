"""Laws of the names of flats: what they say of another scan, and what of the folders around."""

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
        # a number is that of the name it stands in: the day's says nothing of the scan
        ("day2/tooth2_flats", "w", "day2/tooth", "one_", False),
        ("day2/scans/one2_white", "", "day2/scans", "one_", False),
        ("day2/one_2_white", "", "day2/one", "view_", False),
        ("day2/one", "one_white_2", "day2/one", "one_", False),
    ],
)
def test_a_number_of_a_folder_around_is_not_that_of_the_scan(
    images: str, prefix: str, scan: str, scan_prefix: str, *, is_of_scan: bool
) -> None:
    assert belongs(HOME / images, prefix, HOME / scan, scan_prefix) is is_of_scan
