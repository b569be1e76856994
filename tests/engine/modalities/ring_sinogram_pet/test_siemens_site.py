"""A dropped folder of Siemens' e7tools: the role of each file, and the image from all files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cli.main import main
from engine.core.errors import FileFormatError, GeometryError
from engine.corrections.attenuation import ATTENUATION_MAP
from engine.corrections.sinogram import BinScatter
from engine.corrections.sinogram_roles import ATTENUATION, NORMALISATION, RANDOMS, SCATTER
from engine.data.bin_values import n_direct, spread
from engine.data.sinogram import APPLIED, Sinogram
from engine.io import read_volume, scan_file
from engine.modalities import MODALITIES, OpenStudy
from engine.modalities.inspection import inspect
from engine.modalities.opening import auxiliary_at
from engine.modalities.recognise import purpose_of, summarise
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import write_protocol
from tests.engine.io.siemens import siemens_files
from tests.engine.io.siemens import test_siemens_mmr as siemens_mmr
from tests.engine.io.siemens.siemens_files import write

BINS = replace(siemens_files.layout(), n_views=14, n_tangential=21)
RADIUS_MM, LEVEL = 14.0, 0.5
"""A warm cylinder along the axis, longer than the rings [mm; counts/mm]."""
STUDIED = ("%study date (yyyy:mm:dd):=2026:01:02", "%study time (hh:mm:ss GMT+00:00):=03:04:05")


def chords() -> np.ndarray:
    """Return line integrals through the cylinder in closed form."""
    ends = BINS.points_mm[BINS.ends_of(np.arange(BINS.n_bins))]
    a, direction = ends[:, 0], ends[:, 1] - ends[:, 0]
    across = np.linalg.norm(direction[:, :2], axis=1)
    off = np.abs(direction[:, 1] * a[:, 0] - direction[:, 0] * a[:, 1]) / across
    flat = 2 * np.sqrt(np.maximum(RADIUS_MM**2 - off**2, 0))
    return LEVEL * flat * np.linalg.norm(direction, axis=1) / across


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return noise-free counts; each part is in another format of e7tools."""
    folder, rng = tmp_path_factory.mktemp("site"), np.random.default_rng(9)
    norm = rng.uniform(0.5, 2.0, BINS.n_bins)
    acf = rng.uniform(1.0, 2.0, BINS.n_bins)
    randoms = rng.uniform(0, 0.5, BINS.n_bins)
    direct = rng.uniform(0, 0.5, n_direct(BINS) * BINS.n_views * BINS.n_tangential)
    scatter = spread(direct.astype(np.float32), BINS) / norm
    prompts = chords() / norm / acf + randoms + scatter
    delayeds = rng.poisson(randoms)
    both = ("prompts", "randoms")
    write(folder / "Norman-sino-0.s", BINS, prompts, delayeds, types=both, more=STUDIED)
    write(folder / "acf_00.a", BINS, acf, more=STUDIED)
    stored = [norm, np.concatenate([delayeds, randoms]), direct]
    stored[0][::50] = -1  # crystals between blocks are marked -1
    for name, values in zip(
        ("norm3d_00.a", "smoothed_rand_00.s", "scatter_estim2d_000000.s"), stored, strict=True
    ):
        (folder / name).write_bytes(values.astype("<f4").tobytes())
    (folder / "Norman-sino.mhdr").write_text(
        "!INTERFILE:=\n%SMS-MI header name space:=sinogram main header\n"
        "!total number of data sets:=1\n"
        "%data set [1]:={0,..\\Norman\\Norman-sino-0.s.hdr,..\\Norman\\Norman-sino-0.s}\n"
    )
    return folder


PARTS = {
    NORMALISATION.key: "norm3d_00.a",
    ATTENUATION.key: "acf_00.a.hdr",
    RANDOMS.key: "smoothed_rand_00.s",
    SCATTER.key: "scatter_estim2d_000000.s",
}


@pytest.mark.parametrize(
    "name",
    ["", "Norman-sino-0.s.hdr", "Norman-sino-0.s", "Norman-sino.mhdr", "acf_00.a", *PARTS.values()],
)
def test_folder_and_any_of_its_files_open_all(name, site):
    found = purpose_of(site / name)
    assert found.purpose == "scan" and found.files is not None
    assert found.files.data == site / "Norman-sino-0.s.hdr"
    assert {key: path.name for key, path in found.files.inputs.items()} == PARTS
    assert not found.files.notes
    assert inspect(site / name).facts[-4:] == tuple(
        (role.title, PARTS[role.key]) for role in (SCATTER, RANDOMS, NORMALISATION, ATTENUATION)
    )


def test_folder_gives_the_true_image(site, tmp_path, capsys):
    """The command line gives the same as a drop on the window."""
    values = {
        "grid": {"voxel_mm": (2, 2, 4.0625), "diameter_mm": 40, "length_mm": 260},
        "algorithm": {"kind": "osem", "iterations": 6, "subsets": 7},
        "finishing": [],
    }
    protocol, out = tmp_path / "p.toml", tmp_path / "image.h5"
    write_protocol(RingSinogramProtocol.model_validate(values), protocol)
    words = ["reconstruct", str(site), "-o", str(out), "--protocol", str(protocol)]
    assert main([*words, "--threads", "2"]) == 0
    output = capsys.readouterr().err
    assert all(name in output for name in PARTS.values()) and "dead bins" in output
    image = read_volume(out)
    x, y = (image.grid.centres_mm(axis) for axis in (0, 1))
    inside = np.hypot(x[None, :], y[:, None]) < RADIUS_MM - 4
    middle = image.values[12:-12].mean(axis=0)
    assert middle[inside].mean() == pytest.approx(LEVEL, rel=0.01)
    assert middle.sum() * 4 == pytest.approx(LEVEL * np.pi * RADIUS_MM**2, rel=0.01)


def test_files_of_the_folder_are_never_overwritten(site, capsys):
    before = {each.name: each.read_bytes() for each in site.iterdir()}
    words = ["reconstruct", str(site), "-o", str(site / "image.h5")]
    assert main([*words, "--json", str(site / PARTS[SCATTER.key]), "--force"]) == 2
    assert PARTS[SCATTER.key] in capsys.readouterr().err
    assert {each.name: each.read_bytes() for each in site.iterdir()} == before


def test_missing_parts_are_stated_in_one_sentence(tmp_path):
    write(tmp_path / "scan.s", BINS, np.ones(BINS.n_bins))
    scan = summarise(scan_file(tmp_path))
    assert scan.notes == (
        "The folder of scan.s.hdr lacks usable files: normalisation, attenuation, randoms, "
        "scatter.",
    )
    assert inspect(tmp_path).notes == scan.notes


def test_two_files_for_one_part_are_both_left_out(tmp_path):
    ones = np.ones(BINS.n_bins)
    for name in ("scan.s", "acf_00.a", "acf_second_00.a"):
        write(tmp_path / name, BINS, ones)
    found = purpose_of(tmp_path).files
    assert found is not None and ATTENUATION.key not in found.inputs
    assert "acf_00.a.hdr, acf_second_00.a.hdr" in found.notes[0]
    write(tmp_path / "other.s", BINS, ones)
    with pytest.raises(FileFormatError, match="2 sinograms with counts"):
        purpose_of(tmp_path)
    assert "2 sinograms with counts" in inspect(tmp_path).faults[0]
    chosen = purpose_of(tmp_path / "other.s").files
    assert chosen is not None and chosen.data.name == "other.s.hdr"


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("%study time (hh:mm:ss GMT+00:00):=09:09:09", SCATTER),
        ("%study date (yyyy:mm:dd):=2025:01:02", ATTENUATION),
        ("patient ID:=somebody else", ATTENUATION),
    ],
)
def test_files_of_another_study_are_left_out(line, part, tmp_path):
    ones, known = np.ones(BINS.n_bins), (*STUDIED, "patient ID:=somebody")
    write(tmp_path / "scan.s", BINS, ones, more=known)
    other = [line if each.split(":=")[0] == line.split(":=")[0] else each for each in known]
    for name in ("acf_00.a", "scatter_estim.s"):
        is_part = (part is SCATTER) == name.startswith("scatter")
        write(tmp_path / name, BINS, ones, more=other if is_part else known)
    found = purpose_of(tmp_path).files
    assert found is not None
    assert {SCATTER.key, ATTENUATION.key} - {*found.inputs} == {part.key}
    assert "another study" in found.notes[0]


def test_map_is_used_if_no_factors_exist(tmp_path):
    write(tmp_path / "scan.s", BINS, np.ones(BINS.n_bins))
    space = "!INTERFILE:=\n%SMS-MI header name space:=image subheader\n"
    head = f"{space}!name of data file:=scan-umap.v\n"
    (tmp_path / "scan-umap.v.hdr").write_text(head)
    found = purpose_of(tmp_path).files
    assert found is not None and found.inputs[ATTENUATION_MAP.key].name == "scan-umap.v.hdr"
    assert "This file belongs to scan.s.hdr." in inspect(tmp_path / "scan-umap.v.hdr").notes
    counts = tmp_path / "scan.s.hdr"
    uncompressed = counts.read_text()
    counts.write_text(uncompressed.replace("%compression:=off", "%compression:=on"))
    assert purpose_of(tmp_path / "scan-umap.v.hdr").purpose == "volume"
    assert "decompress them" in inspect(tmp_path).faults[0]
    counts.write_text(uncompressed)
    (tmp_path / "scan-umap-hardware.v.hdr").write_text(head)
    found = purpose_of(tmp_path).files
    assert found is not None and not found.inputs and "mu-map" in found.notes[0]


@pytest.mark.parametrize(
    ("role", "name", "n"),
    [
        (NORMALISATION, "norm3d_00.a", 2),
        (SCATTER, "scatter_00.s", 3),
        (RANDOMS, "smoothed_rand_00.s", 3),
    ],
)
def test_values_of_other_bins_are_refused(role, name, n, tmp_path):
    (tmp_path / name).write_bytes(bytes(4 * n * BINS.n_bins))
    content = role.read(tmp_path / name, None)
    with pytest.raises(GeometryError, match="choose the file that belongs to this scan"):
        role.attached(Sinogram(BINS, np.ones(BINS.n_bins, np.float32)), content)


def test_scatter_of_normalised_counts_needs_the_normalisation(site):
    data = Sinogram(BINS, np.ones(BINS.n_bins, np.float32))
    data = SCATTER.attached(data, SCATTER.read(site / PARTS[SCATTER.key], None))
    assert "refers to normalised counts" in (BinScatter().obstacle(data) or "")
    norm = NORMALISATION.read(site / PARTS[NORMALISATION.key], None)
    assert BinScatter().obstacle(NORMALISATION.attached(data, norm)) is None


def test_window_knows_the_parts_before_a_run(site):
    modality = next(each for each in MODALITIES if each.key == "pet-sinogram")
    scan = summarise(site / "Norman-sino-0.s.hdr")
    assert RANDOMS.key in scan.brings and any(label == "Delayeds" for label, _ in scan.facts)
    contents = {SCATTER.key: auxiliary_at(site / PARTS[SCATTER.key], SCATTER.key, None).content}
    obstacles = modality.obstacles(modality.standard(), OpenStudy(scan, scan.scanner, contents))
    done = replace(OpenStudy(scan, scan.scanner), contents={NORMALISATION.key: None})
    assert modality.is_done("line_geometry", done) and not modality.is_done("scatter", done)
    sums = replace(scan.sums, info={**scan.sums.info, APPLIED: "attenuation, scatter"})
    corrected = OpenStudy(replace(scan, sums=sums), scan.scanner)
    kinds = ("normalisation", "attenuation", "randoms", "scatter")
    assert [modality.is_done(kind, corrected) for kind in kinds] == [False, True, False, True]
    assert obstacles["randoms"] is None and "refers to normalised counts" in (
        obstacles["scatter"] or ""
    )


def test_list_mode_in_the_same_folder_makes_two_scans(tmp_path):
    write(tmp_path / "scan.s", BINS, np.ones(BINS.n_bins))
    siemens_mmr.write(tmp_path, np.zeros(4, np.uint32), siemens_mmr.header(4, 0.04))
    (heads,) = tmp_path.glob("*.l.hdr")
    with pytest.raises(FileFormatError, match="2 scans"):
        purpose_of(tmp_path)
    assert purpose_of(heads).files is None
    counts = purpose_of(tmp_path / "scan.s").files
    assert counts is not None and counts.data.name == "scan.s.hdr"


def test_main_header_of_several_frames_asks_for_one(tmp_path):
    lines = ["!INTERFILE:=", "%SMS-MI header name space:=sinogram main header"]
    for k in (1, 2):
        write(tmp_path / f"scan-{k}.s", BINS, np.ones(BINS.n_bins))
        lines.append(f"%data set [{k}]:={{0,scan-{k}.s.hdr,scan-{k}.s}}")
    (tmp_path / "scan.mhdr").write_text("\n".join(lines))
    with pytest.raises(FileFormatError, match="2 sinograms with counts"):
        purpose_of(tmp_path / "scan.mhdr")
    (tmp_path / "scan.mhdr").write_text("\n".join(lines[:3]))
    found = purpose_of(tmp_path / "scan.mhdr").files
    assert found is not None and found.data.name == "scan-1.s.hdr"
