"""Render scenes with OpenGL in a separate process, and write the images.

    python -m tests.app.views.rendering.drawn_cases FILE.npz

Tests run without a display, where Qt offers no OpenGL. This process has a private X display.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.views.planes.placing import VolumePlacing
from app.views.rendering.packed_volume import PackedMasks, PackedVolume
from app.views.rendering.packing import PackedParts
from app.views.rendering.ray_caster import NoOpenGLError, RayCaster
from app.views.rendering.ray_scene import RayFrame, RayLayer, RayScene
from app.views.rendering.ray_shader import MODES
from app.views.rendering.rendering_state import RenderingState
from app.views.rendering.scene_maker import SceneMaker
from app.views.rendering.turning import FRONT
from app.views.scan.scan_scene import SceneCamera
from app.views.slices.ortho_view import OrthoView
from app.views.state import ViewState
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

NO_OPENGL = 3
GRID = ImageGrid((48, 40, 60), (2.0, 3.0, 1.5), (7.0, -20.0, 11.0))
"""Anisotropic grid with a centre that is not the origin."""
SPOT_MM = 6.0
SPOT = (20.0, -25.0, 30.0)
"""Position of the spot from the centre of the grid, along x, y and z [mm]."""
BALL_MM = 30.0
N_PX, PX_PER_MM = 400, 2.5
AXES = ("LPS", "LPI", "RPS", "RAS", "LAS", "SLP", "PSR")
VIEWS = {
    "front": FRONT,
    "left": SceneCamera(0.0, 0.0),
    "top": SceneCamera(-90.0, 90.0),
    "oblique": SceneCamera(-50.0, 35.0),
}
SCALES = (1.0, 1e-3)
EDGE, N_FRAMES, PATIENCE_S = 256, 12, 60


def ball(centre, radius: float, value: float = 100.0) -> Volume:
    """Return a ball in `GRID`; its border voxels have approximately the share inside the ball."""
    z, y, x = np.meshgrid(*(GRID.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    at = np.array(GRID.centre_mm) + centre
    away = np.sqrt((x - at[0]) ** 2 + (y - at[1]) ** 2 + (z - at[2]) ** 2)
    values = value * np.clip((radius - away) / 2 + 0.5, 0, 1)
    return Volume(values.astype(np.float32), GRID, "kBq/mL")


def layer(volume: Volume, **changes) -> RayLayer:
    """Return a grey layer of a volume, with half its maximum as the level."""
    packed = PackedVolume.of(volume, 256**3)
    share = np.linspace(0, 1, 256, dtype=np.float32)
    table = np.stack([share, share, share, np.minimum(share, 0.5)], axis=1)
    ray_layer = RayLayer(packed, table, (packed.low, packed.high), packed.high / 2, (1.0, 1.0, 1.0))
    return replace(ray_layer, **changes)


def pixels(image: QImage) -> np.ndarray:
    """Return the (rows, columns, 3) colours of an image."""
    found = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(found.constBits(), np.uint8).reshape(found.height(), -1)
    return rows[:, : 3 * found.width()].reshape(found.height(), found.width(), 3).copy()


def drawn(caster: RayCaster, scene: RayScene, **changes) -> np.ndarray:
    """Return the image of a scene, centred."""
    frame = RayFrame((0.0, 0.0), PX_PER_MM, (N_PX, N_PX), 0.5)
    caster.draw(scene, replace(frame, **changes))
    return pixels(caster.image())


def cases(caster: RayCaster) -> dict[str, np.ndarray]:
    """Return all images by name."""
    found = {}
    centre = np.array(GRID.centre_mm)
    spot = RayScene("surface", layer(ball(SPOT, SPOT_MM)), centre)
    for axes in AXES:
        for name, camera in VIEWS.items():
            found[f"spot {axes} {name}"] = drawn(caster, replace(spot, axes=axes, camera=camera))
    middle = RayScene("surface", layer(ball((0, 0, 0), BALL_MM)), centre)
    for name, camera in VIEWS.items():
        found[f"ball {name}"] = drawn(caster, replace(middle, camera=camera))
    halves = np.zeros((N_PX, N_PX, 3), np.uint8)
    for first in range(0, N_PX, 100):
        halves = drawn(caster, middle, rows=(first, 100))
    found["ball in strips"] = halves
    noise = np.random.default_rng(3).random((36, 40, 60)).astype(np.float32)
    square = ImageGrid(noise.shape, (2.0, 3.0, 2.0))
    near = RayScene("projection", layer(Volume(noise, square, "kBq/mL")), np.zeros(3))
    # One pixel per column of voxels, through the voxel centres.
    found["projection"] = drawn(caster, near, px_per_mm=0.5, size=(60, 36), step=0.1)
    found["noise"] = noise
    thin = np.linspace(0, 1, 256, dtype=np.float32)[:, None] * np.array([1, 1, 1, 0.004])
    for mode in MODES:
        upper = layer(ball((0, 0, 0), SPOT_MM), skin=(1.0, 0.0, 0.0), window=(50.0, 100.0))
        shift = VolumePlacing(shift_mm=(-15.0, 0.0, -20.0))
        lower = layer(ball((0, 0, 0), BALL_MM), weight=0.5, skin=(0.0, 1.0, 0.0))
        lower = replace(lower, table=thin.astype(np.float32)) if mode == "volume" else lower
        fused = RayScene(mode, lower, centre, upper=upper, placing=shift)
        found[f"fused {mode}"] = drawn(caster, fused)
        found[f"alone {mode}"] = drawn(caster, replace(fused, upper=None))
    region = ball((-15.0, 0, 20.0), 10.0, 1.0).values
    masks = PackedMasks(
        np.round(255 * region).astype(np.uint8), (region > 0).astype(np.uint8), ("#0000ff",)
    )
    empty = layer(ball(SPOT, SPOT_MM), level=1e6)
    found["region"] = drawn(caster, RayScene("surface", empty, centre, masks=masks))
    found["region in a volume"] = drawn(caster, RayScene("volume", empty, centre, masks=masks))
    return found


def large() -> Volume:
    """Return a body of 256³ voxels with noise and a dense part, in HU."""
    values = np.random.default_rng(1).normal(30, 20, (EDGE,) * 3).astype(np.float32)
    z, y, x = np.ogrid[:EDGE, :EDGE, :EDGE]
    inside = (x - 128) ** 2 / 100**2 + (y - 128) ** 2 / 70**2 + (z - 128) ** 2 / 120**2 < 1
    values = np.where(inside, values, -1000).astype(np.float32)
    values[100:150, 110:140, 60:90] = 1200
    return Volume(values, ImageGrid(values.shape, (1.5, 1.5, 1.5)), "HU")


def frames(caster: RayCaster) -> dict[str, list[float]]:
    """Return the CPU time of each image of a rotating volume of 256³ voxels [s], by mode."""
    one = layer(large(), is_lit=True)
    found = {}
    for mode in MODES:
        spent = []
        for k in range(N_FRAMES):
            camera = SceneCamera(-90.0 + 5 * k, 15.0)
            scene = RayScene(mode, one, np.zeros(3), camera=camera)
            before = time.process_time()
            caster.draw(scene, RayFrame((0.0, 0.0), 0.42, (200, 200), 1.4))
            caster.image()
            spent.append(time.process_time() - before)
        found[f"frames {mode}"] = spent[2:]  # the first compiles the program
    return found


def turned(volume: Volume) -> tuple[dict[str, np.ndarray], dict[str, list[float]]]:
    """Return the image of the pane at rest, and the CPU time per paint during a rotation [s]."""
    state = ViewState()
    state.set_volume(volume)
    views = OrthoView(state)
    views.resize(900, 700)
    views.show()
    views.show_rendering(True)
    pane, shown, spent = views.rendering_view, {}, {}
    for mode in MODES:
        views.rendering.set_mode(mode)
        end = time.monotonic() + PATIENCE_S
        while not pane.is_refined and time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.002)
        shown[f"pane {mode}"] = pixels(pane.grab().toImage())
        spent[f"paints {mode}"] = []
        for _ in range(N_FRAMES):
            pane.set_camera(pane.camera.turned(4.0, 1.0))
            before = time.process_time()
            pane.repaint()
            spent[f"paints {mode}"].append(time.process_time() - before)
    views.release()
    return shown, spent


def long_bar(limits: tuple[int, int]) -> RayScene:
    """Return the projection of a bar with more voxels along z than a texture can have."""
    values = np.ones((limits[1] + 500, 8, 8), np.float32)
    grid = ImageGrid(values.shape, (100.0 / 8, 100.0 / 8, 100.0 / len(values)))
    packed = PackedVolume.of(Volume(values, grid, "kBq/mL"), *limits)
    table = np.ones((256, 4), np.float32)
    bar = RayLayer(packed, table, (0.0, 1.0), 0.5, (1.0, 1.0, 1.0))
    return RayScene("projection", bar, np.zeros(3))


def scaled(caster: RayCaster, scale: float) -> np.ndarray:
    """Return the rendering of a ball and a region, with all lengths multiplied by a scale."""
    shape = (40, 40, 40)
    z, y, x = np.ogrid[:40, :40, :40]
    away = np.sqrt((x - 19.5) ** 2 + (y - 19.5) ** 2 + (z - 19.5) ** 2)
    # With a low opacity, every pixel depends on it.
    values = (0.3 * (away < 16)).astype(np.float32)
    values[20, 20, 20] = 1.0
    state = ViewState()
    state.set_volume(Volume(values, ImageGrid(shape, (2.0 * scale,) * 3), "kBq/mL"))
    state.set_window(0.0, 1.0)
    rendering = RenderingState(state)
    parts = PackedParts(state.volume, None, (), VolumePlacing())
    parts.packed_lower = PackedVolume.of(state.volume, *caster.limits)
    inside = (away < 5).astype(np.uint8)
    parts.masks = PackedMasks(255 * inside, inside, ("#0000ff",))
    scene = SceneMaker(state, rendering).scene(parts, FRONT)
    return drawn(caster, scene, px_per_mm=PX_PER_MM / scale)


def main() -> None:
    """Render all cases, and write them to a file."""
    app = QApplication([])
    try:
        caster = RayCaster()
    except NoOpenGLError as e:
        sys.stdout.write(str(e))
        sys.exit(NO_OPENGL)
    found = cases(caster) | frames(caster)
    found |= {f"scaled {scale:g}": scaled(caster, scale) for scale in SCALES}
    found["long bar"] = drawn(caster, long_bar(caster.limits))
    pane, spent = turned(large())
    np.savez(sys.argv[1], renderer=caster.renderer, **found, **pane, **spent)
    caster.close()
    app.quit()


if __name__ == "__main__":
    main()
