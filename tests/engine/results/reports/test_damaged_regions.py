"""Tests of reports with damaged region files, which are named and never overwritten."""

from __future__ import annotations

import pytest

from engine.analysis.regions import (
    Region,
    RegionSet,
    SphereRegion,
    marks_of,
    read_regions,
    regions_at,
    regions_file_of,
    replace_regions,
    write_regions,
)
from engine.results import VOLUME
from engine.results.reports import ReportSubject, Site, report_of
from engine.results.reports.printed import to_pdf

BALL = Region(name="Lesion", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=8))
FAULTS = {
    "cut": (lambda text: text[: len(text) // 2], "not a valid TOML file"),
    "empty": (lambda _: b"", "the file is empty"),
    "no text": (lambda _: b"\xff\xfe\x00" * 50, "not a valid TOML file"),
    "newer": (lambda text: text.replace(b"regions-1", b"regions-2"), "not a region file"),
    "value": (lambda text: text.replace(b"8.0", b"-8.0"), "diameter_mm"),
    "another scan": (lambda text: text.replace(b"image:", b"image:0"), "drawn on another scan"),
}


@pytest.fixture
def stored_result(results, new):
    """Return a result with a region file next to its image."""
    result = results.keep(new(1))
    regions = RegionSet(regions=(BALL,), scans=marks_of(result.volume()))
    write_regions(regions, regions_file_of(result.folder / VOLUME), private=True)
    return result


def notes_of(report) -> list[str]:
    (section,) = [each for each in report.sections if each.title == "Signed off"]
    return [row.value for row in section.notes]


@pytest.mark.parametrize("full", [False, True], ids=["one page", "full"])
@pytest.mark.parametrize("kind", FAULTS)
def test_damaged_region_file_does_not_block_the_report(stored_result, kind, full):
    """One damaged file once blocked every report of its result."""
    damage, reason = FAULTS[kind]
    path = regions_file_of(stored_result.folder / VOLUME)
    sound = path.read_bytes()
    assert ReportSubject.read(stored_result, Site()).has_regions, "the region file was not found"
    damaged = damage(sound)
    assert damaged != sound
    path.write_bytes(damaged)
    for _ in range(2):  # reading does not move the file
        subject = ReportSubject.read(stored_result, Site())
        report = report_of(subject, full=full)
        assert subject.regions is None
        assert not any(each.title == "Regions" for each in report.sections)
        (words,) = [text for text in notes_of(report) if path.name in text]
        assert words.startswith(f"{stored_result.id}/{path.name}: ") and reason in words
        assert words.endswith("until this file is corrected or the regions are drawn again.")
        to_pdf(report)
    assert path.read_bytes() == damaged
    path.write_bytes(sound)
    assert ReportSubject.read(stored_result, Site()).regions.regions == (BALL,)


@pytest.mark.parametrize("kind", FAULTS)
def test_new_regions_do_not_overwrite_a_damaged_file(stored_result, kind):
    path = regions_file_of(stored_result.folder / VOLUME)
    own = read_regions(path)
    damaged = FAULTS[kind][0](path.read_bytes())
    path.write_bytes(damaged)
    assert replace_regions(own.model_copy(update={"regions": ()}), path) is None
    assert path.read_bytes() == damaged, "saving no regions deleted the damaged file"
    for name in ("volume.damaged.regions.toml", "volume.damaged-2.regions.toml"):
        renamed = replace_regions(own, path)
        assert renamed == path.with_name(name) and renamed.read_bytes() == damaged
        assert read_regions(path) == own and path.stat().st_mode & 0o077 == 0
        path.write_bytes(damaged)
    subject = ReportSubject.read(stored_result, Site())
    assert subject.regions is None, "a renamed damaged file was read"


def test_valid_regions_are_replaced_and_removed(stored_result):
    path = regions_file_of(stored_result.folder / VOLUME)
    more = read_regions(path).model_copy(
        update={"regions": (BALL, BALL.model_copy(update={"name": "B"}))}
    )
    assert replace_regions(more, path) is None and read_regions(path) == more
    assert replace_regions(more.model_copy(update={"regions": ()}), path) is None
    assert not path.exists() and regions_at(path) == regions_at(path.with_name("none.toml"))
    assert list(path.parent.glob("*damaged*")) == []
    assert ReportSubject.read(stored_result, Site()).warnings == ()
