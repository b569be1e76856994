"""Tests of the resource estimate of MAP: images for all subsets, time of a typical run."""

from __future__ import annotations

import pytest

from engine.core.backend.devices import cpu_device
from engine.geometry.grid import ImageGrid
from engine.io import read_scanner
from engine.modalities.dual_head_pet import requirements as panels
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet import requirements as events
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.requirements import Requirements
from engine.modalities.ring_sinogram_pet import requirements as bins
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.protocols.study.assignments import with_settings
from engine.recon.algorithms import Svrg

GRID = ImageGrid((200, 200, 200), (2.0, 2.0, 2.0))
ON = cpu_device(2)
OSEM, MAP = (
    ("algorithm.kind=osem", "algorithm.iterations=1", "algorithm.subsets=24"),
    ("algorithm.kind=map",),
)


def of_kind(kind: str, *settings: str) -> tuple[Requirements, int]:
    """Return the requirements of a run, and the bytes of an image."""
    image = 4 * GRID.n_voxels
    if kind == "events":
        protocol = with_settings(ListModeProtocol(), settings)
        return events.estimate(protocol, GRID, 10_000_000, on=ON), image
    if kind == "bins":
        counted = with_settings(RingSinogramProtocol(), settings)
        return bins.estimate(counted, GRID, 10_000_000, on=ON), image
    scanner, protocol = read_scanner("dhapet"), with_settings(DualHeadProtocol(), settings)
    return panels.estimate(protocol, scanner, on=ON), 4 * scanner.grid.n_voxels


@pytest.mark.parametrize("kind", ["events", "bins", "panels"])
def test_images_of_map_are_added_to_those_of_osem(kind: str) -> None:
    (osem, image), (found, _) = of_kind(kind, *OSEM), of_kind(kind, *MAP)
    more = found.memory_bytes - osem.memory_bytes
    # Between panels, OSEM stores an eighth of each symmetric sensitivity, MAP all of it.
    images = Svrg().extra_images + (24 * 7 / 8 if kind == "panels" else 0)
    assert more == pytest.approx(images * image, abs=2)
    few, _ = of_kind(kind, *MAP, "algorithm.subsets=8")
    assert few.memory_bytes < found.memory_bytes


@pytest.mark.parametrize("kind", ["events", "bins"])
def test_time_is_that_of_a_typical_run_and_not_of_the_maximum(kind: str) -> None:
    seconds = {
        n: of_kind(kind, *MAP, f"algorithm.iterations={n}")[0].stages["reconstruct"]
        for n in (3, 6, 20, 1000)
    }
    assert seconds[3] < seconds[6] == seconds[20] == seconds[1000] < 2 * seconds[3]


def test_panels_need_more_iterations_so_the_maximum_applies() -> None:
    few, many = (
        of_kind("panels", *MAP, f"algorithm.iterations={n}")[0].stages["reconstruct"]
        for n in (6, 20)
    )
    assert many > 2.5 * few
