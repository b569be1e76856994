"""Tests of resolution from point sources: drawn decays, and independently tracked photons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import engine
from engine.cli.main import main
from engine.core.errors import DataError
from engine.geometry.point_spread import spread_of
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.io import write_listmode
from engine.io.auxiliary.point_spread import read_point_spread, write_point_spread
from engine.tools.resolution.point_sources import (
    Lines,
    PointSource,
    measured_at,
    point_sources,
    point_spread_of,
)
from tests.judge.studies import TRUES, JudgeStudy, points, round_ring
from tests.judge_scans import cached_pairs, listmode_of, ring_of

Values = NDArray[np.float64]
BORE_MM = 300.0


def decays(
    rng: np.random.Generator, place: Values, fwhm_mm: tuple[float, float, float], n: int
) -> Lines:
    """Return lines of decays with a known spread, up to a cylinder without crystals."""
    radius = np.hypot(*place[:2])
    radial = np.array([*(place[:2] / radius), 0.0]) if radius else np.array([1.0, 0.0, 0.0])
    axes = np.stack([radial, np.array([-radial[1], radial[0], 0.0]), np.array([0.0, 0.0, 1.0])])
    spread = rng.normal(size=(n, 3)) * np.array(fwhm_mm) / FWHM_PER_SIGMA
    return through(place + spread @ axes, rng)


def through(start: Values, rng: np.random.Generator) -> Lines:
    """Return lines in random directions through points, up to a cylinder."""
    angle, tilt = rng.uniform(0, np.pi, len(start)), rng.uniform(-0.3, 0.3, len(start))
    direction = np.stack([np.cos(angle), np.sin(angle), tilt], axis=1)
    middle = np.sum(start[:, :2] * direction[:, :2], axis=1)
    half = np.sqrt(middle**2 - np.sum(start[:, :2] ** 2, axis=1) + BORE_MM**2)
    ends = [start + (sign * half - middle)[:, None] * direction for sign in (-1, 1)]
    return Lines(ends[0], ends[1], np.ones(len(start)))


def combined(*parts: Lines) -> Lines:
    return Lines(
        np.concatenate([each.first_mm for each in parts]),
        np.concatenate([each.last_mm for each in parts]),
        np.concatenate([each.counts for each in parts]),
    )


@pytest.mark.parametrize(
    ("place", "fwhm_mm"),
    [((0.0, 0.0, 5.0), (4.0, 4.0, 5.0)), ((90.0, -60.0, -8.0), (6.0, 4.0, 3.0))],
)
@pytest.mark.parametrize("background", [0.0, 0.3])
def test_known_spread_of_decays_is_found(
    place: tuple[float, float, float],
    fwhm_mm: tuple[float, float, float],
    background: float,
    rng: np.random.Generator,
) -> None:
    n, at = 5_000, np.array(place)
    lines = decays(rng, at, fwhm_mm, n)
    if background:
        # Randoms cross the complete bore; most do not pass the source
        everywhere = rng.uniform(-1, 1, (40 * n, 3)) * np.array([200, 200, 60.0])
        lines = combined(lines, through(everywhere[: int(8 * n * background)], rng))
    found = measured_at(lines, at + np.array([4.0, -3.0, 3.0]))
    widths = found.radial_mm, found.tangential_mm, found.axial_mm
    for width, error, expected in zip(widths, found.errors_mm, fwhm_mm, strict=True):
        assert width == pytest.approx(expected, abs=4 * error)
        assert 0.005 < error / width < 0.05
    assert found.centre_mm == pytest.approx(at, abs=0.2)


@pytest.mark.slow
def test_standard_error_equals_the_spread_of_repeated_scans(rng: np.random.Generator) -> None:
    at = np.array([0.0, 80.0, 0.0])
    found = [measured_at(decays(rng, at, (5.0, 4.0, 4.0), 1500), at) for _ in range(12)]
    pulls = [(each.radial_mm - 5.0) / each.errors_mm[0] for each in found]
    # The sum of 12 squared pulls is chi-squared: 3.1 to 28.3 with a probability of 99 %
    assert 3.1 < sum(pull**2 for pull in pulls) < 28.3


RING = engine.RingScanner(
    engine.RingSettings(
        name="Points", n_rings=12, n_crystals_per_ring=240, radius_mm=150, ring_pitch_mm=4,
        max_ring_difference=11, n_tangential=161, voxel_mm=(4, 4, 4), fov_mm=(240, 48),
    )
)  # fmt: skip
PLACES = ((1.0, 0.0, 2.0), (0.0, 60.0, -4.0), (-100.0, 10.0, 6.0))


def pairs_of(lines: Lines) -> NDArray[np.int32]:
    """Return the nearest crystals of the ring for lines with ends on its cylinder."""
    found = []
    for ends in (lines.first_mm, lines.last_mm):
        turn = np.arctan2(ends[:, 1], ends[:, 0])
        first = np.arctan2(RING.positions_mm[0, 1], RING.positions_mm[0, 0])
        place = np.rint((turn - first) / (2 * np.pi / 240)).astype(int) % 240
        row = np.clip(np.rint(ends[:, 2] / 4 + 5.5).astype(int), 0, 11)
        found.append(row * 240 + place)
    return np.stack(found, axis=1).astype(np.int32)


@pytest.fixture
def scan(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> engine.ListMode:
    monkeypatch.setattr(__name__ + ".BORE_MM", 150.0)
    lines = combined(*(decays(rng, np.array(p), (4.0, 4.0, 4.0), 4000) for p in PLACES))
    inside = (np.abs(lines.first_mm[:, 2]) < 24) & (np.abs(lines.last_mm[:, 2]) < 24)
    return engine.ListMode(RING, pairs_of(lines.where(inside)))


def test_all_sources_of_a_scan_are_found(scan: engine.ListMode) -> None:
    found = point_sources(scan, on=engine.cpu(1))
    assert len(found) == 3
    for source, place in zip(found, PLACES, strict=True):
        assert source.centre_mm == pytest.approx(place, abs=0.5)
        # Crystals of 4 mm add half their pitch in quadrature: 4.5 mm
        assert 3.9 < source.tangential_mm < 5.0


def test_command_writes_the_table_that_reconstructions_read(
    scan: engine.ListMode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_listmode(scan, tmp_path / "points.h5")
    table = tmp_path / "widths.txt"
    assert main(["resolution", str(tmp_path / "points.h5"), "-o", str(table)]) == 0
    text = capsys.readouterr().out
    assert text.count(" lines)") == 3 and "Resolution:" in text
    spread = read_point_spread(table)
    assert spread.radius_mm == pytest.approx([1.0, 60.0, 100.5], abs=0.5)
    assert "Points, measured with 3 point sources of 0 mm" in table.read_text()


def test_too_few_lines_are_refused(rng: np.random.Generator) -> None:
    at = np.array([20.0, 0.0, 0.0])
    with pytest.raises(DataError, match=r"only 300 lines pass the source at \(20, 0, 0\) mm"):
        measured_at(decays(rng, at, (3.0, 3.0, 3.0), 300), at)


def source(radius_mm: float, width_mm: float, error_mm: float = 0.1) -> PointSource:
    errors = error_mm, error_mm, error_mm
    return PointSource(np.array([radius_mm, 0, 0]), width_mm, width_mm, width_mm, errors, 1000)


def test_sources_at_one_distance_share_a_row_and_their_diameter_is_subtracted() -> None:
    spread = point_spread_of([source(51.0, 5.0), source(50.0, 5.0), source(0.0, 4.0)])
    assert spread.radius_mm == pytest.approx([0.0, 50.5])
    # A sphere of diameter D has the variance D² / 20 along each axis
    narrower = point_spread_of([source(0.0, 4.0)], diameter_mm=2.0)
    own = FWHM_PER_SIGMA**2 * 2.0**2 / 20
    assert narrower.radial_mm[0] ** 2 == pytest.approx(16.0 - own)
    with pytest.raises(DataError, match="too small for a source with a diameter of 9 mm"):
        point_spread_of([source(0.0, 4.0)], diameter_mm=9.0)


def test_written_table_reads_back(tmp_path: Path) -> None:
    spread = point_spread_of([source(0.0, 4.0), source(80.0, 6.0)])
    write_point_spread(spread, tmp_path / "a.txt", notes=("a\x1b[31mb",))
    again = read_point_spread(tmp_path / "a.txt")
    assert again.radial_mm == pytest.approx(spread.radial_mm)
    assert again.axial_mm == pytest.approx(spread.axial_mm)
    assert "\x1b" not in (tmp_path / "a.txt").read_text()


@pytest.mark.slow
def test_photons_of_the_judge_have_the_measured_widths() -> None:
    """Compare with the mean square of the distances, without a fit, and with the geometry."""
    judged = round_ring(300.0, 120.0, n_crystals=480, row_mm=4.0)
    places = ((0.0, 0.0, 1.0), (0.0, 60.0, 1.0), (110.0, 0.0, 1.0), (-75.0, -130.0, 1.0))
    study = JudgeStudy("four points", points(*places), judged, TRUES, seed=7)
    pairs = cached_pairs(study, 200_000)
    ring = ring_of(judged, diameter_mm=340.0, voxel_mm=(2.0, 2.0, 2.0))
    scan = listmode_of(pairs, ring, np.asarray(pairs.crystals))
    found = point_sources(scan, on=engine.cpu())
    assert [each.radius_mm for each in found] == pytest.approx([0, 60, 110, 150.1], abs=0.3)
    expected = spread_of(ring, 200.0)
    ends = ring.positions_mm[scan.crystals][..., :2]
    direction = ends[:, 1] - ends[:, 0]
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    offs = [each.centre_mm[:2] - ends[:, 0] for each in found]
    distances = np.stack(
        [off[:, 0] * -direction[:, 1] + off[:, 1] * direction[:, 0] for off in offs]
    )
    # Lines that pass two sources are ambiguous
    is_alone = (np.abs(distances) < 16).sum(axis=0) == 1
    for each, distance in zip(found[1:], distances[1:], strict=True):
        cosine = (
            -direction[:, 1] * each.centre_mm[0] + direction[:, 0] * each.centre_mm[1]
        ) / each.radius_mm
        near = is_alone & (np.abs(distance) < 8)
        # var s = r² cos² ψ + t² sin² ψ, a straight line in cos² ψ
        slope, tangential = np.polyfit(cosine[near] ** 2, distance[near] ** 2, 1)
        widths = FWHM_PER_SIGMA * np.sqrt([tangential + slope, tangential])
        # Inter-crystal scatter counts fully in a mean square: 4 to 9 %
        assert (each.radial_mm, each.tangential_mm) == pytest.approx(widths, rel=0.12)
        by_geometry = np.interp(each.radius_mm, expected.radius_mm, expected.radial_mm)
        assert each.radial_mm == pytest.approx(by_geometry, rel=0.05)
