"""Tests of Interfile sinograms: files of STIR, and round trips of our own."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import EngineError
from engine.corrections.sinogram_roles import NORMALISATION
from engine.data.listmode import ListMode
from engine.data.runs.events import Finished
from engine.data.sinogram import Sinogram, binned
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_listmode, read_sinogram, scan_file, write_listmode
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.jobs.reconstruction import run
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import Study

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=4, n_crystals_per_ring=32, radius_mm=100, ring_pitch_mm=5,
        max_ring_difference=3, n_tangential=21, first_angle_deg=-80, fov_mm=(100, 20),
    )
)  # fmt: skip


@pytest.fixture
def small_long(shared_data):
    return shared_data / "pet-sinogram-stir-smalllong" / "smalllong.hs"


@pytest.mark.slow
def test_stir_scan_shows_its_ellipse_and_rod(small_long):
    """The README of this scan, which STIR simulated, states the lengths and positions."""
    data = read_sinogram(small_long)
    assert data.layout.shape == (27, 64, 75) and data.layout.bin_mm == 3
    values = {"algorithm": {"kind": "osem", "iterations": 3, "subsets": 8}, "finishing": []}
    study = Study(data=small_long, protocol=RingSinogramProtocol.model_validate(values))
    (volume,) = (e.volume for e in run(study, on=cpu(2)) if isinstance(e, Finished))
    plane = volume.values[10:17].mean(axis=0)
    x, y = (volume.grid.centres_mm(axis) for axis in (0, 1))
    level = np.median(plane[plane > 0.5 * np.percentile(plane, 95)])
    ellipse = (plane > level / 2) & (x[None, :] < 78)
    assert np.ptp(x[ellipse.any(axis=0)]) + 3 == pytest.approx(105, abs=6)
    assert np.ptp(y[ellipse.any(axis=1)]) + 3 == pytest.approx(80, abs=6)
    inner = (((x - 21)[None, :] / 35) ** 2 + ((y - 9)[:, None] / 25) ** 2) < 1
    assert plane[inner].std() < 0.05 * plane[inner].mean()
    rod = np.unravel_index(np.argmax(plane), plane.shape)
    assert x[rod[1]] > 80 and plane[rod] > 3 * level


def without_digest(header: str) -> str:
    """Return a header without our digest, like the header of another program."""
    return "\n".join(line for line in header.splitlines() if "sha256" not in line)


def random_sinogram(layout: SinogramLayout) -> Sinogram:
    counts = np.random.default_rng(2).poisson(0.4, layout.n_bins)
    return Sinogram(layout, counts.astype(np.float32), duration_s=3.5)


@pytest.mark.parametrize("changes", [{}, {"span": 3, "mashed": 2}, {"max_difference": 1}])
def test_sinogram_is_restored(changes, tmp_path):
    data = random_sinogram(SinogramLayout.of(RING, **changes))
    write_sinogram(data, tmp_path / "a.hs")
    again = read_sinogram(tmp_path / "a.hs")
    np.testing.assert_array_equal(again.prompts, data.prompts)
    bins = np.arange(data.layout.n_bins)
    ends = [each.layout.points_mm[each.layout.ends_of(bins)] for each in (again, data)]
    np.testing.assert_allclose(*ends, atol=1e-9)
    assert again.layout.identity == data.layout.identity and again.duration_s == 3.5


@pytest.mark.parametrize(
    "info",
    [{}, {"axes": "LPI"}, *({"axes": "xyz", "stated_axes": e} for e in ("RPS", "RAI", "LAS"))],
)
def test_patient_position_is_restored(info, tmp_path):
    data = replace(random_sinogram(SinogramLayout.of(RING)), info=info)
    write_sinogram(data, tmp_path / "a.hs")
    again = read_sinogram(tmp_path / "a.hs").info
    assert {key: again[key] for key in ("axes", "stated_axes") if key in again} == info


@pytest.mark.parametrize(("kind", "n"), [("unsigned integer", 2), ("signed integer", 4)])
def test_axis_order_number_type_and_scale_do_not_matter(kind, n, tmp_path):
    layout = SinogramLayout.of(RING, span=3)
    data = random_sinogram(layout)
    write_sinogram(data, tmp_path / "a.hs")
    header = (tmp_path / "a.hs").read_text()
    planes = header.split("!matrix size [3] := ")[1].splitlines()[0]
    header = without_digest(header)
    swaps = {
        "[3] := axial coordinate": "[3] := view",
        "[2] := view": "[2] := axial coordinate",
        f"!matrix size [3] := {planes}": "!matrix size [3] := 16",
        "!matrix size [2] := 16": f"!matrix size [2] := {planes}",
        ":= float": f":= {kind}",
        "per pixel := 4": f"per pixel := {n}",
        "LITTLEENDIAN": "BIGENDIAN",
        "factor[1] := 1": "factor[1] := 0.5",
        "bytes[1] := 0": "bytes[1] := 7",
    }
    for old, new in swaps.items():
        assert old in header
        header = header.replace(old, new, 1)
    (tmp_path / "a.hs").write_text(header)
    parts, begin = [], 0
    for each in layout.segments:
        part = data.prompts.reshape(layout.shape)[begin : begin + each.n_planes]
        parts.append(part.transpose(1, 0, 2).reshape(-1))
        begin += each.n_planes
    stored = np.concatenate(parts).astype(f">{'iu'[kind[0] == 'u']}{n}")
    (tmp_path / "a.s").write_bytes(b"padding" + stored.tobytes())
    np.testing.assert_array_equal(read_sinogram(tmp_path / "a.hs").prompts, 0.5 * data.prompts)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("number of dimensions := 4", "number of dimensions := 5", "size .5.' is missing"),
        (
            "number of dimensions := 4",
            "number of dimensions := 6",
            "expected 4 dimensions, or 5 with up to",
        ),
        ("[1] := tangential coordinate", "[1] := bin", "expected tangential coordinate"),
        ("Number of rings := 4", "", "'number of rings' is missing"),
        ("Number of rings := 4", "Number of rings := 0", "n_rings"),
        (":= float", ":= ascii", "expected float"),
        ("per segment := { -3", "per segment := { ?", "expected 7 integers"),
        ("per segment := { -3", "per segment := { -7", "expected less than n_rings"),
        ("!matrix size [2] := 16", "!matrix size [2] := 15", "there are 15 views"),
        ("!matrix size [1] := 21", "!matrix size [1] := 2100", "bins reach|copy both files|n_tang"),
    ],
)
def test_invalid_header_gives_one_sentence(old, new, words, tmp_path):
    write_sinogram(random_sinogram(SinogramLayout.of(RING)), tmp_path / "a.hs")
    header = (tmp_path / "a.hs").read_text()
    assert old in header
    (tmp_path / "a.hs").write_text(header.replace(old, new, 1))
    with pytest.raises(EngineError, match=words):
        read_sinogram(tmp_path / "a.hs")


def test_truncated_or_nan_bins_are_refused(tmp_path):
    data = random_sinogram(SinogramLayout.of(RING))
    write_sinogram(data, tmp_path / "a.hs")
    whole = (tmp_path / "a.s").read_bytes()
    (tmp_path / "a.s").write_bytes(whole[:-4] + np.float32(7).tobytes())
    with pytest.raises(EngineError, match="does not match the checksum in this header; copy both"):
        read_sinogram(tmp_path / "a.hs")
    header = (tmp_path / "a.hs").read_text()
    (tmp_path / "a.hs").write_text(without_digest(header))
    (tmp_path / "a.s").write_bytes(whole[:-4])
    with pytest.raises(EngineError, match="truncated"):
        read_sinogram(tmp_path / "a.hs")
    (tmp_path / "a.s").write_bytes(np.float32("nan").tobytes() + whole[4:])
    with pytest.raises(EngineError, match=r"some bins are not numbers \(number: 1\)"):
        read_sinogram(tmp_path / "a.hs")


def test_command_converts_list_mode_to_sinogram_and_back(tmp_path, capsys):
    lines = np.random.default_rng(4).integers(0, RING.n_lors, 5000)
    events = ListMode(RING, RING.lors(lines), duration_s=1.0)
    write_listmode(events, tmp_path / "scan.h5")
    assert main(["sinogram", str(tmp_path / "scan.h5"), str(tmp_path / "a.hs")]) == 0
    assert "5,000 counts" in capsys.readouterr().out
    assert main(["sinogram", str(tmp_path / "a.hs"), str(tmp_path / "b.h5")]) == 0
    back = read_listmode(tmp_path / "b.h5")
    layout = SinogramLayout.of(RING)
    np.testing.assert_array_equal(
        binned(back, layout).prompts, read_sinogram(tmp_path / "a.hs").prompts
    )
    assert back.n_prompts == 5000
    assert main(["sinogram", str(tmp_path / "a.hs"), str(tmp_path / "b.txt")]) == 2
    assert main(["sinogram", str(tmp_path / "scan.h5"), str(tmp_path / "c.h5")]) == 2
    assert main(["inspect", str(tmp_path / "a.hs")]) == 0
    assert "Format:                Interfile (STIR)" in capsys.readouterr().out


def test_folder_header_and_bins_open_the_same_scan(shared_data, tmp_path):
    for name in ("smalllong.hs", "smalllong.s"):
        shutil.copy(shared_data / "pet-sinogram-stir-smalllong" / name, tmp_path)
    header = tmp_path / "smalllong.hs"
    for path in (tmp_path, header, tmp_path / "smalllong.s"):
        assert scan_file(path) == header
    assert scan_file(tmp_path / "other.s") == tmp_path / "other.s"
    shutil.copy(header, tmp_path / "second.hs")
    with pytest.raises(EngineError, match="contains 2 scans"):
        scan_file(tmp_path)
    (tmp_path / "second.s").write_bytes(b"0000")
    assert scan_file(tmp_path / "second.s") == tmp_path / "second.s", (
        "the header of this file names another file"
    )


def test_tof_is_summed_and_refused_with_factors(tmp_path):
    layout = SinogramLayout.of(RING, span=3)
    write_sinogram(random_sinogram(layout), tmp_path / "a.hs")
    header, bins = tmp_path / "a.hs", tmp_path / "a.s"
    one = read_sinogram(header)
    times = "number of dimensions := 5\nmatrix axis label [5] := timing positions\n"
    text = without_digest(header.read_text())
    header.write_text(
        text.replace("number of dimensions := 4\n", f"{times}!matrix size [5] := 3\n")
    )
    bins.write_bytes(3 * bins.read_bytes())
    data = read_sinogram(header)
    np.testing.assert_allclose(data.prompts, 3 * one.prompts, rtol=1e-6)
    assert data.layout.identity == layout.identity and "3 TOF bins" in data.notes[0]
    content = NORMALISATION.read(header, None)
    assert content.describe() == NORMALISATION.describe(content) == layout.describe()
    with pytest.raises(EngineError, match="separate factors for 3 TOF bins"):
        NORMALISATION.attached(one, content)


def test_tof_of_a_stir_header_is_used_if_its_timing_is_stated(shared_data, tmp_path):
    """Use a sample header of STIR: 351 TOF bins of 6.85 ps, combined in groups of 13."""
    sample = shared_data / "formats" / "stir-interfile" / "PET_TOF_Interfile_header_Signa_PETMR.hs"
    few = {
        "!matrix size [4] := 45": "!matrix size [4] := 1",
        "!matrix size [3] := 224": "!matrix size [3] := 8",
        "!matrix size [1] := 357": "!matrix size [1] := 5",
    }
    lines = [few.get(line.strip(), line) for line in sample.read_text().splitlines()]
    lists = {"!matrix size [2]": "{89}", "minimum ring": "{-1}", "maximum ring": "{1}"}
    for start, value in lists.items():
        lines = [f"{each.split(':=')[0]}:= {value}" if each.startswith(start) else each
                 for each in lines]  # fmt: skip
    (tmp_path / "scan.hs").write_text("\n".join(lines))
    counts = np.random.default_rng(1).poisson(0.1, (27, 8, 89, 5)).astype("<f4")
    (tmp_path / "PET_TOF_Interfile_header_Signa_PETMR.s").write_bytes(counts.tobytes())
    data = read_sinogram(tmp_path / "scan.hs")
    assert (data.scanner.tof.n_bins, data.scanner.tof.fwhm_ps) == (27, 390)
    assert data.scanner.tof.bin_ps == pytest.approx(13 * 6.84615)
    assert not data.timed.is_ordered and not data.notes
    for time in (0, 11, 26):
        expected = counts[time].transpose(1, 0, 2).reshape(-1)
        np.testing.assert_array_equal(data.timed.dense(time, data.layout.n_bins), expected)


@pytest.mark.parametrize("arguments", [[], ["--sum-times"]])
def test_convert_preserves_tof_unless_disabled(arguments, tmp_path):
    timed = RING.settings.model_dump() | {"tof": {"fwhm_ps": 300, "bin_ps": 200, "n_bins": 5}}
    ring, rng = RingScanner(RingSettings.model_validate(timed)), np.random.default_rng(8)
    pairs = ring.lors(rng.integers(0, ring.n_lors, 500))
    times = rng.integers(0, 5, 500).astype(np.int16)
    write_listmode(ListMode(ring, pairs, tof_bins=times, duration_s=1.0), tmp_path / "a.h5")
    assert main(["sinogram", str(tmp_path / "a.h5"), str(tmp_path / "a.hs"), *arguments]) == 0
    data = read_sinogram(tmp_path / "a.hs")
    assert (data.timed is None) == bool(arguments) and data.n_prompts == 500
    assert main(["sinogram", str(tmp_path / "a.hs"), str(tmp_path / "b.h5")]) == 0
    again = read_listmode(tmp_path / "b.h5")
    assert again.n_events == 500 and (again.tof_bins is None) == bool(arguments)
