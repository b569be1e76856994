"""Screenshots of two volumes: blend, swipe, side by side, comparison, two patients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_origin import Origin
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.app.gallery.photographer import Act, Photographer

TURN_RAD = 0.5
PET_GRID = ImageGrid((48, 64, 64), (4.0, 4.0, 4.0))
CT_GRID = ImageGrid((96, 150, 170), (2.0, 2.0, 2.0), (4.0, 6.0, 0.0))


def _inside(grid: ImageGrid, centre: tuple, half: tuple) -> np.ndarray:
    z, y, x = (((grid.centres_mm(axis) - centre[axis]) / half[axis]) ** 2 for axis in (2, 1, 0))
    return z[:, None, None] + y[:, None] + x < 1


def body() -> tuple[Volume, Volume]:
    """Return PET with two hot spots, and CT of a body with lungs and a spine."""
    rng = np.random.default_rng(3)
    ct = np.full(CT_GRID.shape, -1000, np.float32)
    parts = (
        ((0, 0, 0), (120, 85, 95), 30.0),
        ((-55, -5, 10), (38, 52, 75), -800.0),
        ((55, -5, 10), (38, 52, 75), -800.0),
        ((0, 62, 0), (14, 14, 90), 700.0),
        ((30, -20, -60), (30, 25, 25), 60.0),
    )
    pet = np.zeros(PET_GRID.shape, np.float32)
    levels = (1.0, -0.7, -0.7, 0.3, 2.5)
    for (centre, half, hounsfield), level in zip(parts, levels, strict=True):
        ct[_inside(CT_GRID, centre, half)] = hounsfield
        pet[_inside(PET_GRID, centre, half)] += level
    for centre in ((-50, 10, 20), (12, -30, 40)):
        pet[_inside(PET_GRID, centre, (11, 11, 11))] = 9.0
        ct[_inside(CT_GRID, centre, (10, 10, 10))] = 40.0
    ct += rng.normal(0, 12, ct.shape).astype(np.float32)
    pet = rng.poisson(40 * np.maximum(pet, 0.02)).astype(np.float32) / 40
    known = {"patient": "1", "frame_of_reference": "1.2.3"}
    return Volume(4 * pet, PET_GRID, "kBq/mL", **known), Volume(ct, CT_GRID, "HU", **known)


def fuse(shots: Photographer) -> None:
    """Fuse PET and CT."""
    session = shots.window.session
    pet, ct = body()
    session.show_file(pet, "pet.nii.gz")
    shots.shoot("fusion-one-volume")
    volumes = session.volumes
    volumes.add(OpenVolume("file:ct", "ct-thorax.nii.gz", "file", ct, Origin.of(ct)))
    volumes.set_base("file:ct")
    volumes.set_overlay("image")
    session.view.set_window(-160, 240)
    session.view.fusion.set_window(6.0, 48.0)
    session.view.fusion.set_opacity(0.6)
    session.view.set_cursor((-50.0, 10.0, 20.0))


def fusing(shots: Photographer) -> None:
    """Show PET and CT in every fusion mode."""
    fuse(shots)
    window = shots.window
    session, fusion = window.session, window.session.view.fusion
    volumes, ct = session.volumes, session.volumes.base.volume
    shots.shoot("fusion-blend")
    for mode in ("swipe", "side by side", "difference", "ratio"):
        fusion.set_mode(mode)
        shots.shoot(f"fusion-{mode.replace(' ', '-')}")
    fusion.set_mode("blend")
    window.centre.show_page(3)
    planes = window.centre.image_planes
    shots.wait(lambda: planes.views.slices[0].state.volume is not None and shots.is_calm())
    planes.views.scene.turn((0.6, 0.8, 0.0), TURN_RAD)
    shots.wait(lambda: shots.is_calm())
    for view in planes.views.slices:
        view.state.set_window(-160, 240)
    shots.shoot("fusion-planes")
    window.centre.show_page(0)
    other = replace(ct, patient="2")
    volumes.add(OpenVolume("file:ct", "ct-thorax.nii.gz", "file", other, Origin.of(other)))
    shots.shoot("fusion-two-patients")
    window.centre.fusion.overlay.menu().fill()
    shots.shoot_menu("menu-overlay", window.centre.fusion.overlay.menu())


FUSING = (
    Act(
        (
            *("fusion-one-volume", "fusion-blend", "fusion-swipe", "fusion-side-by-side"),
            *("fusion-difference", "fusion-ratio", "fusion-planes", "fusion-two-patients"),
            "menu-overlay",
        ),
        fusing,
    ),
)
