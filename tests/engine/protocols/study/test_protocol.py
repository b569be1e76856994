"""Tests of protocols: writing and reading, and one sentence for each error."""

import pytest

from engine.core.errors import SettingsError
from engine.core.settings import to_toml
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import read_protocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.fields import shape_for


@pytest.mark.parametrize(
    ("protocol", "min_mm"),
    [(ListModeProtocol(), 0.05), (DualHeadProtocol(), 0.05), (CtProtocol(), 0.00001)],
    ids=["pet", "dual-head", "ct"],
)
def test_voxel_sizes_are_limited(protocol, min_mm):
    for edge in (min_mm, 100.0):
        changed = with_settings(protocol, (f"grid.voxel_mm=[1.0, {edge:.5f}, 1.0]",))
        assert changed.grid.voxel_mm == (1.0, edge, 1.0)
    for edge in (0.99 * min_mm, 100.1):
        least = f"{min_mm:.5f}".rstrip("0")
        with pytest.raises(SettingsError, match=f"edges must be between {least} "):
            with_settings(protocol, (f"grid.voxel_mm=[1.0, {edge:.7f}, 1.0]",))


@pytest.mark.parametrize(("over_mm", "n"), [(0.0, 50), (0.0015, 50), (0.01, 51)])
def test_field_of_view_is_filled_with_whole_voxels(over_mm, n):
    size_mm = (100.0 + over_mm, 40.0, 1.0)
    assert shape_for(size_mm, (2.0, 4.0, 8.0), most=51) == (1, 10, n)
    with pytest.raises(
        SettingsError, match=rf"{n} × 10 × 1 voxels, but at most {n - 1} are allowed along"
    ):
        shape_for(size_mm, (2.0, 4.0, 8.0), most=n - 1)


def test_protocol_file_round_trips(tmp_path):
    changes = (
        "algorithm.kind=mlem",
        "algorithm.iterations=7",
        "grid.voxel_mm=[2.0, 2.0, 3.0]",
        "corrections.randoms.use=off",
        'finishing=[{kind="gaussian", fwhm_mm=4.0}]',
    )
    protocol = with_settings(ListModeProtocol(), changes)
    path = tmp_path / "p.toml"
    path.write_text(to_toml(protocol))
    assert read_protocol(path) == protocol


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("algorithm.iterations=0", ["algorithm.iterations", "at least 1", "got 0"]),
        ("algorithm.iteratons=3", ["unknown key 'algorithm.iteratons'"]),
        ("algorithm.iterations=nan", ["algorithm.iterations"]),
        ("corrections.randoms.use=maybe", ["corrections.randoms.use", "'maybe'"]),
        (
            "grid.voxel_mm=[0.0, 1.0, 1.0]",
            ["grid.voxel_mm", "must be between 0.05 and 100 mm", "got [0.0"],
        ),
        ("grids.voxel_mm=1", ["no group 'grids'", "grid"]),
        ("iterations", ["KEY=VALUE"]),
        ('finishing=[{kind="gaussian", fwhm_mm=-1}]', ["finishing.0.fwhm_mm", "above 0"]),
    ],
)
def test_invalid_setting_gives_one_sentence(assignment, words):
    with pytest.raises(SettingsError) as fault:
        with_settings(ListModeProtocol(), (assignment,))
    text = str(fault.value)
    assert all(word in text for word in words), text
    assert "\n" not in text and text.endswith(".")


@pytest.mark.parametrize(
    "text",
    ["name = ", "name = 'x'\nname = 'y'", "iterations = 1e999", "[algorithm]\nkind='sirt'",
     "a" * 1_000_001, "x = " + "[" * 3000, "algorithm = 010"],
)  # fmt: skip
def test_invalid_file_is_refused(tmp_path, text):
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=r"p\.toml"):
        read_protocol(path)
