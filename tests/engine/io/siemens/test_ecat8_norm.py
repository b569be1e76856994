"""Tests of Siemens normalisation: the efficiency of a bin is the sum over its lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.corrections.sinogram_roles import NORMALISATION
from engine.data.sinogram import Sinogram
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_scanner
from engine.modalities.recognise import purpose_of
from tests.engine.io.siemens import siemens_files
from tests.engine.io.siemens.siemens_files import write, write_norm

BINS = replace(siemens_files.layout(), n_views=84, n_tangential=9)
N_BINS = 344


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(2)
    shapes = {
        "geometric effects": (127, N_BINS),
        "crystal interference": (N_BINS, 9),
        "crystal efficiencies": (64, 504),
        "axial effects": (837,),
        "TX crystal DT parameter": (9,),
    }
    return {name: rng.uniform(0.5, 1.5, shape) for name, shape in shapes.items()}


def efficiency(tables, plane: int, view: int, t: int) -> float:
    """Return the efficiency of a bin of three mashed views, summed with STIR's header numbers."""
    segment, axial, n_planes = (0, plane, 127) if plane < 127 else (
        (-1, plane - 127, 115) if plane < 242 else (1, plane - 242, 115))  # fmt: skip
    middle = axial + 63 - (n_planes - 1) // 2  # the sum of both ring numbers
    total, stored = 0.0, tables["crystal efficiencies"]
    for difference in range(11 * segment - 5, 11 * segment + 6):
        first, second = (middle - difference) / 2, (middle + difference) / 2
        if first % 1 or not (0 <= first < 64 and 0 <= second < 64):
            continue
        for v in range(3 * view, 3 * view + 3):
            one, two = (v + t // 2) % 504, (v - (t + 1) // 2 + 252) % 504
            if one % 9 == 0 or two % 9 == 0:
                continue  # a gap between blocks
            crystals = stored[int(first), one - 1] * stored[int(second), two - 1]
            across = tables["crystal interference"][t + 172, v % 9]
            along = tables["geometric effects"][middle, t + 172]
            total += crystals * across * along * tables["axial effects"][plane]
    return total


def test_bins_have_the_efficiency_of_their_lines(tables, tmp_path):
    write_norm(tmp_path / "scan.n", tables, {})
    content = NORMALISATION.read(tmp_path / "scan.n", None)
    assert content.describe().startswith("28,672 crystals")
    data = NORMALISATION.attached(Sinogram(BINS, np.ones(BINS.n_bins, np.float32)), content)
    found = data.auxiliary[NORMALISATION.key].reshape(BINS.shape)
    rng = np.random.default_rng(3)
    for _ in range(150):
        plane, view, t = (int(rng.integers(n)) for n in BINS.shape)
        expected = efficiency(tables, plane, view, t - 4)
        given = found[plane, view, t]
        assert given == pytest.approx(1 / expected, rel=1e-5) if expected else given == 0


def test_bins_between_blocks_are_dead(tables, tmp_path):
    """Without mashing, a bin has no line if its only position is a gap."""
    head = write_norm(tmp_path / "scan.n", tables, {})
    whole = SinogramLayout(read_scanner("siemens-mmr"), BINS.segments[:1], 252, 3)
    content = NORMALISATION.read(head, None)
    factors = content.of(whole, "", is_factor=True).reshape(whole.shape)
    view = np.arange(252)
    gap = (view % 9 == 0) | ((view + 252) % 9 == 0)
    np.testing.assert_array_equal(factors[:, :, 1] == 0, np.broadcast_to(gap, (127, 252)))


def test_components_are_found_in_the_folder(tables, tmp_path):
    write_norm(tmp_path / "norm.n", tables, {})
    write(tmp_path / "scan.s", BINS, np.ones(BINS.n_bins))
    for name in ("norm.n", "norm.n.hdr", ""):
        found = purpose_of(tmp_path / name).files
        assert found is not None
        assert found.inputs[NORMALISATION.key].name == "norm.n.hdr"
    (tmp_path / "norm3d_00.a").write_bytes(bytes(4))
    found = purpose_of(tmp_path).files
    assert found is not None and found.inputs[NORMALISATION.key].name == "norm3d_00.a"
    assert found.notes[0] == "norm3d_00.a is used instead of norm.n.hdr."


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"system:=2008": "system:=1104"}, "norm3d"),
        ({"{504,64}": "{504,63}"}, "expected 64 × 504"),
        ({"{9,344}": "{9,-344}"}, r"matrix size \[2\]"),
        ({"]:=axial effects": "]:=axial profile"}, "without axial effects"),
        ({"data offset in bytes [4]:=316160": "data offset in bytes [4]:=1316160"}, "truncated"),
    ],
)
def test_other_components_are_refused(changes, words, tables, tmp_path):
    head = write_norm(tmp_path / "scan.n", tables, changes)
    with pytest.raises(EngineError, match=words):
        NORMALISATION.read(head, None)


def test_negative_components_are_refused(tables, tmp_path):
    wrong = {**tables, "axial effects": -tables["axial effects"]}
    with pytest.raises(EngineError, match="negative values or NaN"):
        NORMALISATION.read(write_norm(tmp_path / "scan.n", wrong, {}), None)
