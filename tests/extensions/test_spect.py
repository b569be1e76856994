"""Tests of SPECT as a separate package: physics of its model, and runs in the program."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.simulate import uniform_cylinder
from engine.simulate.phantoms import cylinder_with_spheres
from tests.extensions.installed import EXAMPLES, install, run_with_packages

SPECT = EXAMPLES / "spect"
MAX_LINES = 800
MU = 0.0154
"""Attenuation of water at 140 keV [1/mm]."""
STIR = "spect-stir-pinhole"
STIR_UNIT = 3.677e-4
"""Value of STIR's image for a photon that a voxel emits during a view.

STIR states no unit of its pinhole images. This factor is measured. It affects only the unit.
"""


@pytest.fixture(autouse=True, scope="module")
def package() -> Iterator[None]:
    """Make the package importable in this process, and remove it afterwards."""
    sys.path.insert(0, str(SPECT))
    yield
    sys.path.remove(str(SPECT))
    for name in [each for each in sys.modules if each.startswith("isocenter_spect")]:
        del sys.modules[name]


def code_lines(path: Path) -> int:
    """Count code lines, without blank lines, comments and docstrings."""
    text = path.read_text("utf-8")
    nothing = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (*nothing, tokenize.ENDMARKER):
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node) is not None
        ):
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def test_package_has_at_most_800_lines() -> None:
    settings = (SPECT / "pyproject.toml").read_text("utf-8").splitlines()
    n_lines = sum(code_lines(path) for path in (SPECT / "isocenter_spect").glob("*.py"))
    assert 500 < n_lines + sum(bool(line.strip()) for line in settings) <= MAX_LINES


# the model


def scan_of(n_views: int, shape: tuple[int, int], pixel: float, radius: float, **more: Any) -> Any:
    from isocenter_spect.scan import SpectScan

    angles, radii = 360 / n_views * np.arange(n_views), np.full(n_views, radius)
    effects = ("collimator_resolution", "photon_attenuation")
    counts = np.zeros((n_views, *shape), np.float32)
    return SpectScan(counts, pixel, angles, radii, effects=effects, **more)


def pinhole_scan(n_views: int = 6, shape: tuple[int, int] = (30, 32), **more: Any) -> Any:
    from isocenter_spect.camera import Crystal, Pinholes

    places = tuple((0.5 * (k % 2), 0.0, -0.25 * k) for k in range(n_views))
    holes = Pinholes(30.0, places, 1.5, np.cos(np.deg2rad(60)))
    crystal = Crystal(0.8, 4.0, 360 / n_views, n_views)
    return scan_of(n_views, shape, 1.5, 70.0, holes=holes, crystal=crystal, **more)


def projector_of(scan: Any, grid: ImageGrid, **settings: Any) -> Any:
    from isocenter_spect.model import projector
    from isocenter_spect.protocol import SpectProtocol

    return projector(scan, SpectProtocol(**settings), grid, 2)


def moments(view: Any, pixel: float) -> tuple[float, Any, Any]:
    """Return sum, centre and variance (columns, rows) of a view [mm]."""
    rows, columns = (pixel * (np.arange(n) - (n - 1) / 2) for n in view.shape)
    total = float(view.sum(dtype=float))
    along = [(view.sum(axis=0), columns), (view.sum(axis=1), rows)]
    centres = [float((sums * at).sum() / total) for sums, at in along]
    spread = [
        float((sums * (at - centre) ** 2).sum() / total)
        for (sums, at), centre in zip(along, centres, strict=True)
    ]
    return total, np.array(centres), np.array(spread)


@pytest.mark.essential
@pytest.mark.parametrize("kind", ["parallel", "pinhole"])
def test_projector_pair_is_adjoint(kind: str, rng: np.random.Generator) -> None:
    grid = ImageGrid((9, 12, 12), (2.0, 2.0, 2.5))
    mu_map = Volume(rng.random(grid.shape, np.float32) * 0.02, grid, "1/mm")
    scan = (
        pinhole_scan(mu_map=mu_map)
        if kind == "pinhole"
        else scan_of(7, (10, 13), 2.0, 40.0, mu_map=mu_map)
    )
    whole = projector_of(scan, grid)
    x = rng.random(grid.shape)
    for A in (whole, *(whole.subset(k, 3) for k in range(3))):
        y = rng.random(A.out_shape)
        assert np.vdot(A(x), y) == pytest.approx(np.vdot(x, A.T(y)), rel=1e-10)
    parts = np.zeros_like(whole(x))
    for k in range(3):
        parts[k::3] = whole.subset(k, 3)(x)
    np.testing.assert_array_equal(parts, whole(x))


@pytest.mark.parametrize("distance", [40.0, 100.0, 160.0])
def test_parallel_holes_have_constant_efficiency_and_blur_with_distance(distance: float) -> None:
    hole, length, wall, gap, crystal = 2.0, 30.0, 0.25, 6.0, 4.0
    scan = scan_of(1, (41, 41), 2.0, distance)
    parallel = {
        "hole_mm": hole, "length_mm": length, "wall_mm": wall, "gap_mm": gap, "crystal_mm": crystal,
    }  # fmt: skip
    A = projector_of(
        scan,
        ImageGrid((1, 1, 1), (1.0, 1.0, 1.0)),
        parallel=parallel,
        radius_mm=1.0,
        corrections={"collimator_resolution": {"n_sigmas": 5.0}},
    )
    total, centre, variance = moments(A(np.ones((1, 1, 1)))[0], 2.0)
    # Anger: g = (0.238 d² / (L (d + t)))²
    assert total == pytest.approx((0.238 * hole**2 / (length * (hole + wall))) ** 2, rel=0.01)
    np.testing.assert_allclose(centre, 0, atol=0.11)  # centre of a tabulated interval
    # The overlap of two discs of diameter D has the variance D² / 8 along each axis.
    disc = hole * (1 + (distance + gap) / length)
    expected = disc**2 / 8 + (crystal / 2.35482) ** 2 + 2.0**2 / 12
    np.testing.assert_allclose(variance, expected, rtol=0.01)


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (4.0, 6.0, -5.0), (-8.0, 2.0, 9.0)])
def test_pinhole_inverts_and_magnifies(place: tuple[float, float, float]) -> None:
    scan = pinhole_scan(1, (60, 60))
    scan = replace(scan, holes=replace(scan.holes, places_mm=((0.0, 0.0, 0.0),)))
    A = projector_of(
        scan,
        ImageGrid((41, 41, 41), (1.0, 1.0, 1.0)),
        radius_mm=20.0,
        corrections={"collimator_resolution": {"n_sigmas": 5.0}},
    )
    x, y, z = place
    image = np.zeros(A.in_shape)
    image[int(z) + 20, int(y) + 20, int(x) + 20] = 1
    total, centre, variance = moments(A(image)[0], 1.5)
    depth, behind, d = 30.0 - x, 70.0 + 2.0 - 30.0, 1.5
    cosine = depth / np.sqrt(depth**2 + y**2 + z**2)
    assert total == pytest.approx(d**2 * cosine**3 / (16 * depth**2), rel=1e-4)
    np.testing.assert_allclose(centre, -np.array([y, z]) * behind / depth, atol=0.08)
    expected = (d * (1 + behind / depth)) ** 2 / 16 + 0.8**2 + 1.5**2 / 12
    np.testing.assert_allclose(variance, expected, rtol=0.02)


def test_pinhole_passes_nothing_beyond_its_angle() -> None:
    scan = pinhole_scan(1, (90, 90))
    holes = replace(scan.holes, places_mm=((0.0, 0.0, 0.0),), least_cos=np.cos(np.deg2rad(30)))
    grid = ImageGrid((61, 1, 1), (1.0, 1.0, 1.0))
    A = projector_of(replace(scan, holes=holes), grid, radius_mm=1.0)
    seen = A.T(np.ones(A.out_shape)).ravel() > 0
    z = np.arange(61) - 30
    np.testing.assert_array_equal(seen, np.abs(z) <= 30 * np.tan(np.deg2rad(30)))


def test_cylinder_attenuates_with_depth() -> None:
    radius, edge = 60.0, 2.0
    body = uniform_cylinder(diameter_mm=2 * radius, length_mm=20.0)
    fine = ImageGrid((10, 130, 130), (1.0, 1.0, 1.0))
    unit = body.rasterise(fine, "mu").values
    mu_map = Volume(unit / unit.max() * np.float32(MU), fine, "1/mm")
    scan = scan_of(8, (9, 65), edge, 150.0)
    grid = ImageGrid((1, 65, 65), (edge, edge, edge))
    free = projector_of(scan, grid, radius_mm=70.0)
    absorbed = projector_of(replace(scan, mu_map=mu_map), grid, radius_mm=70.0)
    for x, y in ((0.0, 0.0), (30.0, 0.0), (-20.0, 40.0)):
        image = np.zeros(grid.shape)
        image[0, 32 + int(y / edge), 32 + int(x / edge)] = 1
        sums = [A(image).sum(axis=(1, 2)) for A in (absorbed, free)]
        angles = np.deg2rad(scan.angles_deg)
        along = x * np.cos(angles) + y * np.sin(angles)
        path = np.sqrt(along**2 + radius**2 - x**2 - y**2) - along
        np.testing.assert_allclose(sums[0] / sums[1], np.exp(-MU * path), rtol=0.01)


def test_simulated_photons_follow_the_model() -> None:
    from isocenter_spect import demo
    from isocenter_spect.protocol import ParallelHoles

    phantom, holes, n = cylinder_with_spheres(scale=0.8), ParallelHoles(), 400_000
    rng, angle = np.random.default_rng(5), 0.7
    counts = demo.view_of(phantom, holes, angle, n, rng)
    shape, reach = counts.shape, demo.PIXEL_MM * demo.N_PIXELS / 2
    scan = scan_of(1, shape, demo.PIXEL_MM, demo.RADIUS_MM)
    grid = ImageGrid((64, 64, 64), (5.0, 5.0, 5.0))
    mu = phantom.rasterise(grid, "mu")
    scan = replace(
        scan,
        angles_deg=np.rad2deg([angle]),
        mu_map=replace(mu, values=mu.values * np.float32(demo.PER_MM)),
    )
    A = projector_of(scan, grid, radius_mm=reach - 1)
    from isocenter_spect.camera import parallel_share

    share = parallel_share(holes.hole_mm, holes.length_mm, holes.wall_mm)
    emitted = n * 5.0**3 / demo.BOX_MM.prod() / demo.HOTTEST / share
    expected = A(phantom.rasterise(grid).values * np.float32(emitted))[0]
    total = counts.sum(dtype=float)
    # Voxels of 5 mm blur edges of the body, and with them the attenuation, by about 1 %.
    assert expected.sum(dtype=float) == pytest.approx(total, rel=0.01 + 3 / total**0.5)
    seen = expected > 4
    chi = ((counts[seen] - expected[seen]) ** 2 / expected[seen]).sum() / seen.sum()
    assert seen.sum() > 500 and 0.85 < chi < 1.25


# the program

HOLE = "h{k}: \t{k} \t0. \t0. \t0. \tround \t0.1 \t0.1 \t0. \t0. \t45. \t45.\n"
COLLIMATOR = "Collimator radius(cm): 2.8\n#holes#\nNumber of holes: 2\n"
COLLIMATOR += HOLE.format(k=1) + HOLE.format(k=2)
CRYSTAL = (
    "#intrinsic PSF#\nSigma(cm): 0.03\nCrystal thickness (cm): 0.3\nNangles: 2\nincr(deg): 180.\n"
)


def write_tiny_scan(folder: Path) -> None:
    """Write twelve views of simulated photons, the μ-map, and the true image."""
    from isocenter_spect import demo
    from isocenter_spect.protocol import ParallelHoles

    phantom, rng = cylinder_with_spheres(scale=0.8), np.random.default_rng(3)
    views = [
        demo.view_of(phantom, ParallelHoles(), 2 * np.pi * k / 12, 100_000, rng) for k in range(12)
    ]
    demo.write_scan(np.stack(views), demo.PIXEL_MM, demo.RADIUS_MM, folder / "scan.hs")
    grid = ImageGrid((32, 32, 32), (10.0, 10.0, 10.0))
    mu = phantom.rasterise(grid, "mu")
    save(replace(mu, values=mu.values * np.float32(demo.PER_MM)), folder / "mu.nii.gz")
    save(replace(phantom.rasterise(grid), unit=""), folder / "truth.nii.gz")
    pinholes = folder / "pinholes"
    pinholes.mkdir()
    demo.write_scan(np.stack(views[:2]), demo.PIXEL_MM, demo.RADIUS_MM, pinholes / "scan.hs")
    (pinholes / "collimator.txt").write_text(COLLIMATOR, encoding="utf-8")
    (pinholes / "detector.txt").write_text(CRYSTAL, encoding="utf-8")
    (folder / "study.toml").write_text(
        'data = "scan.hs"\n[inputs]\nphoton-map = "mu.nii.gz"\n[protocol]\nmodality = "spect"\n'
        'grid.voxel_mm = [10, 10, 10]\nalgorithm.kind = "osem"\nalgorithm.iterations = 3\n'
        "algorithm.subsets = 4\n",
        encoding="utf-8",
    )


@pytest.mark.essential
def test_program_reconstructs_spect_scans(tmp_path: Path) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    site.mkdir()
    work.mkdir()
    install(SPECT, site)
    write_tiny_scan(work)
    coarse = ("--set", "grid.voxel_mm=[10,10,10]", "--set", "algorithm.iterations=3")
    coarse += ("--set", "algorithm.subsets=4")

    answers, errors = run_with_packages(
        site,
        work,
        ["inspect", "scan.hs"],
        ["inspect", "pinholes/scan.hs"],
        ["reconstruct", "scan.hs", "-o", "out.h5", "--photon-map", "mu.nii.gz", *coarse],
        ["queue", "add", "study.toml", "-o", "queued", "--format", ".h5", "--identify"],
        ["queue", "run"],
        ["results"],
        offered_texts={},
        settings_pages={},
        window={"paths": ["scan.hs"], "tab": "Results"},
        run_in_window={"study": "study.toml", "report": "report.html"},
    )

    assert "is skipped" not in errors
    assert "bins, exact" in errors and "lines of response" not in errors
    inspected = answers["printed"][0]
    assert "SPECT" in inspected and "360° CW in 12 views" in inspected and "FAULT" not in inspected
    gathered = answers["printed"][1]
    assert "detector.txt" in gathered and "collimator.txt" in gathered and "FAULT" not in gathered
    image, truth = read_volume(work / "out.h5"), read_volume(work / "truth.nii.gz")
    assert image.unit == "photons/view" and image.grid == truth.grid
    correlation = np.corrcoef(image.values.ravel(), truth.values.ravel())[0, 1]
    assert correlation > 0.93
    records = image.info["plug_ins"]
    assert [each["features"] for each in records] == [["modalities: spect"]]
    assert records[0]["version"] == "1.0" and len(records[0]["sha256"]) == 64
    states = {each["kind"]: each["state"] for each in image.info["run"]["corrections"]}
    assert states["photon_attenuation"] == states["collimator_resolution"] == "applied"
    (queued,) = (work / "queued").glob("*.h5")
    np.testing.assert_array_equal(read_volume(queued).values, image.values)
    assert {"Hole (mm)", "Object radius (mm)", "Attenuation", "OSEM"} <= set(
        answers["offered_texts"]["spect"]
    )
    assert "`hole_mm`" in answers["settings_pages"]
    assert answers["window"][-1]["protocol"] == "Standard SPECT"
    digest = sha256(np.ascontiguousarray(image.values).tobytes()).hexdigest()
    assert answers["run_in_window"]["sha256"] == digest, "the window gives the same bits"
    page = (work / "report.html").read_text("utf-8")
    assert "photons/view" in page and "SPECT" in page


DAMAGE = {
    "radius := 180.0": ("radius := far", "the radius of the orbit is 'far'"),
    "extent of rotation := 360": ("extent of rotation := 0", "the rotation is not stated"),
    "number of projections := 12": ("number of projections := 13", "truncated"),
    "scaling factor (mm/pixel) [2] := 5.0": ("scaling factor (mm/pixel) [2] := 4", "square pixels"),
}


@pytest.mark.parametrize("line", DAMAGE)
def test_damaged_scan_gives_one_sentence(line: str, tmp_path: Path) -> None:
    from isocenter_spect.demo import write_scan
    from isocenter_spect.scan import read_scan

    from engine.core.errors import EngineError

    write_scan(np.ones((12, 4, 4), np.float32), 5.0, 180.0, tmp_path / "a.hs")
    assert read_scan(tmp_path / "a.hs").counts.shape == (12, 4, 4)
    text = (tmp_path / "a.hs").read_text("utf-8")
    assert text.count(line) == 1
    (tmp_path / "a.hs").write_text(text.replace(line, DAMAGE[line][0]), encoding="utf-8")
    with pytest.raises(EngineError, match=DAMAGE[line][1]):
        read_scan(tmp_path / "a.hs")


@pytest.mark.parametrize(
    ("old", "new"),
    [("holes: 2", "holes: 3"), ("round", "square"), ("h2: \t2", "h2: \t1"), ("2.8", "two")],
)
def test_damaged_collimator_is_refused(old: str, new: str, tmp_path: Path) -> None:
    from isocenter_spect.camera import read_collimator

    from engine.core.errors import FileFormatError

    path = tmp_path / "collimator.txt"
    path.write_text(COLLIMATOR, encoding="utf-8")
    assert read_collimator(path).diameter_mm == 1
    path.write_text(COLLIMATOR.replace(old, new), encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"collimator\.txt: "):
        read_collimator(path)


@pytest.mark.slow
def test_pinhole_image_of_stir_is_reproduced(shared_data: Path, tmp_path: Path) -> None:
    site, work, folder = tmp_path / "site", tmp_path / "work", shared_data / STIR
    if not folder.is_dir():
        pytest.skip("the sample scans of ../shared/data are not on this machine")
    site.mkdir()
    work.mkdir()
    install(SPECT, site)
    settings = (
        "grid.voxel_mm=[0.5,0.5,0.5]", "grid.diameter_mm=46", "grid.length_mm=60", "radius_mm=15",
        "algorithm.iterations=1", "algorithm.subsets=7", "finishing=[]", f"factor={STIR_UNIT}",
    )  # fmt: skip
    set_all = [part for each in settings for part in ("--set", each)]
    scan = str(folder / "input.hs")
    answers, _ = run_with_packages(
        site, work, ["inspect", scan], ["reconstruct", scan, "-o", "out.h5", *set_all]
    )
    assert all(name in answers["printed"][0] for name in ("collimator.txt", "attmap.hv", "CCW"))
    image = read_volume(work / "out.h5").values.astype(float)
    stored, mask = (
        np.fromfile(folder / name, "<f4").reshape(image.shape).astype(float)
        for name in ("org/OSEM_7.v", "mask.v")
    )
    ours, theirs = image[mask > 0], stored[mask > 0]
    assert np.corrcoef(ours, theirs)[0, 1] >= 0.995
    assert np.sqrt(((ours - theirs) ** 2).mean()) <= 0.03 * theirs.max()
