"""Tests of the 3D view without OpenGL: letters, settings, and fallback to the projection."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from app.views.layout import ViewLayout
from app.views.rendering import ray_caster, ray_shader
from app.views.rendering.packed_volume import PackedVolume
from app.views.rendering.ray_shader import MODES, RayProgram
from app.views.rendering.rendering_state import BONE_HU, SKIN_HU, first_level
from app.views.rendering.turning import FRONT, edges_of
from app.views.scan.scan_scene import SceneCamera
from app.views.slices.ortho_view import OrthoView
from engine.data.volume import Volume
from engine.geometry import Edges
from engine.geometry.grid import ImageGrid

LOADED = (
    "import sys, app.shell.main_window, app.views.slices.ortho_view\n"
    "print([n for n in sys.modules if 'OpenGL' in n or n.startswith('app.views.rendering.ray_c') "
    "or n.endswith('rendering_view')])"
)


@pytest.mark.parametrize(
    ("camera", "expected"),
    [
        (FRONT, Edges("R", "L", "H", "F")),
        (SceneCamera(0.0, 0.0), Edges("A", "P", "H", "F")),
        (SceneCamera(90.0, 0.0), Edges("L", "R", "H", "F")),
        (SceneCamera(180.0, 0.0), Edges("P", "A", "H", "F")),
        (SceneCamera(-90.0, 90.0), Edges("R", "L", "P", "A")),
        (SceneCamera(-45.0, 0.0), Edges("RA", "LP", "H", "F")),
    ],
)
def test_letters_name_the_side_at_each_edge(camera, expected):
    found = edges_of(camera)
    for side in ("left", "right", "top", "bottom"):
        assert sorted(getattr(found, side)) == sorted(getattr(expected, side)), side


def test_window_starts_without_opengl():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


def test_projection_stays_with_one_sentence_if_opengl_is_missing(state, show, qtbot, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    views = show(OrthoView(state), 900, 700)
    with qtbot.waitSignal(views.rendering_failed):
        views.show_rendering(True)
    assert views.turning is views.mip and views.mip.isVisible()
    assert not views.rendering_view.isVisible()
    assert views.mip.warning() == views.no_rendering
    assert "OpenGL 3.3" in views.no_rendering and views.no_rendering.endswith("card.")
    volume = state.volume
    state.name = "Another scan"
    state.set_volume(Volume(volume.values, volume.grid, volume.unit))
    assert "OpenGL 3.3" in views.no_rendering, "the reason changed with the volume"
    views.set_layout(ViewLayout("one", "projection", projection="3d"))
    assert views.mip.isVisible() and not views.rendering_view.isVisible()
    views.release()


class NoDrawing:
    """A ray caster that never draws, because no volume can be packed."""

    limits = 10**6, 2048

    def close(self) -> None:
        pass


def test_next_volume_is_offered_in_3d_after_one_that_could_not_be_packed(
    state, show, qtbot, monkeypatch
):
    asked: list[Volume] = []

    def without_memory(volume: Volume, *limits: int) -> PackedVolume:
        asked.append(volume)
        raise MemoryError

    monkeypatch.setattr(PackedVolume, "of", without_memory)
    monkeypatch.setattr(ray_caster, "RayCaster", NoDrawing)
    views, volume = show(OrthoView(state), 900, 700), state.volume
    with qtbot.waitSignal(views.rendering_failed):
        views.show_rendering(True)
    assert views.turning is views.mip and "too little free memory" in views.mip.warning()
    state.set_volume(Volume(volume.values + 1, volume.grid, volume.unit))
    assert views.no_rendering and len(asked) == 1, (
        "packing was tried again for a preview of the same run"
    )
    state.name = "Another scan"
    with qtbot.waitSignal(views.rendering_failed):
        state.set_volume(Volume(volume.values + 2, volume.grid, volume.unit))
        assert views.turning is views.rendering_view and not views.no_rendering
        assert views.rendering_view.isVisible() and not views.mip.warning()
    assert len(asked) == 2 and views.turning is views.mip
    views.release()


def test_values_that_are_not_numbers_are_stated_below_the_3d_view(state, show, qtbot, monkeypatch):
    monkeypatch.setattr(ray_caster, "RayCaster", NoDrawing)
    views, volume = show(OrthoView(state), 900, 700), state.volume
    values = volume.values.copy()
    values[0, 0, :3] = np.nan
    state.set_volume(Volume(values, volume.grid, volume.unit))
    with qtbot.waitSignal(views.rendering_view._packer.packed):
        views.show_rendering(True)
    assert views.rendering_view.note() == "NaN values shown as 0: 3"
    views.release()


def test_layout_without_projection_makes_space_for_the_3d_view(state, show, qtbot):
    views = show(OrthoView(state), 900, 700)
    views.set_layout(ViewLayout("sheet", "axial"))
    with qtbot.waitSignal(views.rendering_failed):
        views.show_rendering(True)
    assert views.layout_now == ViewLayout("four", "axial", projection="3d")
    views.show_rendering(False)
    assert views.layout_now.projection == "mip"
    views.release()


def test_first_level_is_bone_skin_or_a_share_of_the_bright_values():
    grid = ImageGrid((8, 8, 8), (1.0, 1.0, 1.0))

    def of(value: float, unit: str) -> float:
        values = np.full(grid.shape, -1000.0 if unit == "HU" else 0.0, np.float32)
        values[2:6, 2:6, 2:6] = value
        return first_level(Volume(values, grid, unit))

    assert of(1200, "HU") == BONE_HU
    assert of(30, "HU") == SKIN_HU
    assert of(50, "kBq/mL") == pytest.approx(20)
    assert of(0.02, "1/mm") == pytest.approx(0.01)


def test_level_applies_to_one_unit(state):
    views = OrthoView(state)
    rendering = views.rendering
    first = rendering.level(upper=False)
    rendering.set_level(3.5, upper=False)
    assert rendering.level(upper=False) == 3.5 != first
    volume = state.volume
    state.set_volume(Volume(volume.values, volume.grid, "kBq/mL"))
    assert rendering.level(upper=False) == first_level(state.volume)


@pytest.mark.parametrize("mode", MODES)
def test_shader_contains_only_the_parts_it_needs(mode):
    alone = RayProgram(mode).text
    assert "values_1" not in alone and "coverage" not in alone
    both = RayProgram(mode, is_fused=True, has_masks=True).text
    assert "values_1" in both and "coverage_at(" in both
    assert "_K" not in both and ray_shader.VERTEX.count("void main") == 1
