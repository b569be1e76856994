"""Tests of volumes and regions as textures: levels, boxes, and reduction."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QThread

from app.views.planes.placing import VolumePlacing
from app.views.rendering.packed_volume import BLOCK, TOP, PackedVolume, highest_of_blocks
from app.views.rendering.packing import PackedParts, Packer, masks_of
from engine.analysis.regions import SphereRegion
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.tools.diagnostics.faults import last_fault

GRID = ImageGrid((21, 30, 17), (2.0, 3.0, 1.5), (10.0, -5.0, 4.0))


@pytest.fixture
def volume(rng) -> Volume:
    return Volume(rng.normal(20, 5, GRID.shape).astype(np.float32), GRID, "HU")


def test_levels_restore_the_values(volume):
    packed = PackedVolume.of(volume, 10**6)
    values = packed.low + packed.levels / TOP * (packed.high - packed.low)
    np.testing.assert_allclose(values, volume.values, atol=(packed.high - packed.low) / TOP)
    assert packed.level_of(packed.low) == 0 and packed.level_of(packed.high) == 1
    assert packed.factor == 1 and packed.voxel_mm == pytest.approx(GRID.voxel_mm)
    assert packed.lower_mm == pytest.approx(tuple(GRID.lower_mm))


def test_nan_counts_as_zero(volume):
    values = volume.values.copy()
    values[3, 4, 5], values[6, 7, 8] = np.nan, np.inf
    packed = PackedVolume.of(Volume(values, GRID, "HU"), 10**6)
    for index in ((3, 4, 5), (6, 7, 8)):
        at = packed.low + packed.levels[index] / TOP * (packed.high - packed.low)
        assert at == pytest.approx(0, abs=0.01)
    assert packed.n_not_finite == 2 and PackedVolume.of(volume, 10**6).n_not_finite == 0
    assert PackedVolume.of(Volume(values, GRID, "HU"), 2000).n_not_finite == 2


def test_constant_volume_can_be_packed():
    packed = PackedVolume.of(Volume(np.full(GRID.shape, 3.0, np.float32), GRID, "HU"), 10**6)
    assert packed.low == 3 and not packed.levels.any() and packed.high > packed.low


def test_outside_of_a_positive_volume_is_zero():
    """Rays outside the texture read level 0, which must not be a visible value."""
    values = np.full(GRID.shape, 3.0, np.float32)
    values[4] = 2.0
    packed = PackedVolume.of(Volume(values, GRID, "kBq/mL"), 10**6)
    assert (packed.low, packed.high) == (0.0, 3.0)
    low, high = packed.box_above(0.0)
    assert (low == 0).all() and (high == 1).all(), "the box does not contain the complete volume"
    values[5] = -1.0
    assert PackedVolume.of(Volume(values, GRID, "kBq/mL"), 10**6).low == -1.0


def test_large_volume_is_reduced_to_block_means(volume):
    packed = PackedVolume.of(volume, 2000)
    assert packed.factor == 2 and packed.levels.shape == (11, 15, 9)
    assert packed.size_mm == pytest.approx((36.0, 90.0, 33.0)), "the incomplete last block is cut"
    values = packed.low + packed.levels / TOP * (packed.high - packed.low)
    assert values[2, 3, 4] == pytest.approx(volume.values[4:6, 6:8, 8:10].mean(), abs=1e-3)
    assert values[10, 14, 8] == pytest.approx(volume.values[20:, 28:, 16:].mean(), abs=1e-3)


def test_volume_longer_than_a_texture_is_reduced():
    values = np.zeros((90, 4, 4), np.float32)
    values[80:] = 1.0
    long = Volume(values, ImageGrid(values.shape, (1.0, 1.0, 1.0)), "HU")
    packed = PackedVolume.of(long, 10**6, 40)
    assert packed.factor == 3 and packed.levels.shape == (30, 2, 2)
    assert packed.size_mm[2] == pytest.approx(90.0)
    assert not packed.levels[:26].any() and (packed.levels[27:] == TOP).all()
    assert PackedVolume.of(long, 10**6, 90).factor == 1


def test_block_maximum_includes_neighbours(rng):
    levels = rng.integers(0, 1000, (19, 8, 30)).astype(np.uint16)
    found = highest_of_blocks(levels)
    assert found.shape == (3, 1, 4)
    for index in np.ndindex(found.shape):
        box = tuple(slice(max(BLOCK * k - 1, 0), BLOCK * (k + 1) + 1) for k in index)
        assert found[index] == levels[box].max()


def test_box_of_a_level_contains_all_higher_voxels():
    values = np.zeros((64, 64, 64), np.float32)
    values[30, 9, 40] = 1.0
    grid = ImageGrid(values.shape, (1.0, 1.0, 1.0))
    packed = PackedVolume.of(Volume(values, grid, "HU"), 10**6)
    low, high = packed.box_above(0.5)
    at = (np.array([40, 9, 30]) + 0.5) / 64
    assert (low < at).all() and (at < high).all()
    assert (high - low < 3 * BLOCK / 64 + 0.05).all(), "the box is too large"
    low, high = packed.box_above(1.5)
    assert (low == high).all(), "the box above the maximum is not empty"


@pytest.mark.parametrize("most", [10**6, 2000])
def test_regions_are_in_the_voxels_of_the_texture(volume, most):
    packed = PackedVolume.of(volume, most)
    spheres = (
        (SphereRegion(centre_mm=(8.0, -20.0, 0.0), diameter_mm=12.0), "#ff0000"),
        (SphereRegion(centre_mm=(14.0, 10.0, 8.0), diameter_mm=10.0), "#00ff00"),
    )
    masks = masks_of(spheres, volume, packed)
    assert masks is not None and masks.colours == ("#ff0000", "#00ff00")
    voxel = float(np.prod(packed.voxel_mm))
    for k, (shape, _) in enumerate(spheres, 1):
        inside = np.where(masks.labels == k, masks.coverage / 255.0, 0)
        assert inside.sum() * voxel == pytest.approx(
            4 / 3 * np.pi * (shape.diameter_mm / 2) ** 3, rel=0.06
        )
        index = np.array(np.nonzero(inside)).mean(axis=1)[::-1]
        at = np.array(packed.lower_mm) + (index + 0.5) * packed.voxel_mm
        assert at == pytest.approx(np.array(shape.centre_mm), abs=1.6)


def test_newest_request_is_packed_and_a_known_volume_only_once(qtbot, volume):
    packer = Packer()
    actual: list[PackedParts] = []
    threads: list[QThread] = []
    packer.packed.connect(actual.append)
    packer.packed.connect(lambda _: threads.append(QThread.currentThread()))
    other = Volume(volume.values + 1, GRID, "HU")
    asked = [PackedParts(each, None, (), VolumePlacing()) for each in (volume, other, volume)]
    for each in asked:
        packer.ask(each, (10**6, 2048))
    qtbot.waitUntil(lambda: not packer.is_busy)
    assert actual == [asked[0], asked[2]], "an outdated request was packed"
    assert actual[0].packed_lower is actual[1].packed_lower
    assert threads == [QThread.currentThread()] * 2, "the callback ran in another thread"
    packer.wait()


def test_internal_error_is_reported_and_the_next_volume_packed(qtbot, volume, monkeypatch):
    packer, of = Packer(), PackedVolume.of
    reported: list[str] = []
    actual: list[PackedParts] = []
    packer.failed.connect(reported.append)
    packer.packed.connect(actual.append)

    def broken_once(volume: Volume, *limits: int) -> PackedVolume:
        monkeypatch.setattr(PackedVolume, "of", of)
        raise ValueError("no such\nlevel")

    monkeypatch.setattr(PackedVolume, "of", broken_once)
    asked = [PackedParts(volume, None, (), VolumePlacing()) for _ in range(2)]
    for each in asked:
        packer.ask(each, (10**6, 2048))
        qtbot.waitUntil(lambda: not packer.is_busy)
    assert reported == ["Internal error (ValueError: no such level); please report it."]
    assert "no such\nlevel" in last_fault(), "the last fault does not contain the message"
    assert actual == asked[1:]
    packer.wait()
