"""Tests that no output contains patient names from headers, folders or file names."""

from __future__ import annotations

import gzip
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.cli.main import main
from engine.core.backend import cpu
from engine.data.listmode import ListMode
from engine.data.runs.events import Preview
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_volume, save, write_listmode
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.privacy import pseudonym_of

CANARIES = ("Mustermann", "Erika", "19641221", "Zimmer7", "KH-Nord")
"""Parts of a patient name, a patient ID and a folder name."""
RING = RingSettings(
    name="tiny", n_rings=3, n_crystals_per_ring=24, radius_mm=60, ring_pitch_mm=5,
    max_ring_difference=2, n_tangential=16, voxel_mm=(5, 5, 5), fov_mm=(60, 15),
)  # fmt: skip
QUICK = ("--set", "algorithm.iterations=2", "--set", "algorithm.subsets=2", "--threads", "2")


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a list-mode scan with a mu-map; both contain names."""
    folder = tmp_path_factory.mktemp("raw") / "KH-Nord Zimmer7" / "Mustermann_Erika"
    folder.mkdir(parents=True)
    scanner = RingScanner(RING)
    rng = np.random.default_rng(4)
    lors = scanner.lors(rng.integers(0, scanner.n_lors, 3000))
    info = {
        "patient_name": "Mustermann^Erika",
        "data_file": "Mustermann_Erika_19641221.l",
        "isotope": "F-18",
        "remarks": [{"of": "Erika"}, 7],
    }
    path = folder / "Mustermann_Erika_19641221.h5"
    write_listmode(ListMode(scanner, lors, duration_s=1.0, info=info), path)
    grid = ImageGrid((3, 8, 8), (5.0, 5.0, 5.0))
    values = np.full(grid.shape, 0.0096, np.float32)
    save(Volume(values, grid, "1/mm", {"of": "Erika"}), folder / "Mustermann mu.nii.gz")
    return path


@pytest.fixture(scope="module")
def outputs(scan: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write all kinds of outputs, each into one folder."""
    out = tmp_path_factory.mktemp("out")
    mu = str(scan.with_name("Mustermann mu.nii.gz"))
    common = ["reconstruct", str(scan), "--attenuation", mu, *QUICK]
    events = ("--json", str(out / "events.jsonl"), "--checkpoint", str(out / "job"))
    done = [
        [*common, "-o", str(out / "image.nii.gz"), *events],
        [*common, "-o", str(out / "image.h5")],
        ["export", str(out / "image.h5"), str(out / "exported.nii.gz")],
        ["export", mu, str(out / "map.h5")],
        ["export", str(out / "image.h5"), str(out / "exported.png")],
        ["convert", str(scan), str(out / "converted.h5")],
    ]
    with (out / "printed.txt").open("w") as printed, redirect_stdout(printed):
        for command in done:
            assert main(command) == 0, command
    _interrupted(scan, mu, out / "interrupted")
    return out


def _interrupted(scan: Path, mu: str, folder: Path) -> None:
    study = Study(data=scan, attenuation=mu, protocol=ListModeProtocol())
    job = Job.create(study, folder)
    events = keep(run(study, on=cpu(2)), job)
    for event in events:
        if isinstance(event, Preview):
            break
    events.close()


def texts(path: Path) -> Iterator[bytes]:
    """Yield the raw and decompressed contents of a file."""
    data = path.read_bytes()
    yield data
    if path.suffix == ".gz":
        yield gzip.decompress(data)
    if path.suffix == ".h5":
        found: list[str] = []
        with h5py.File(path) as file:
            file.visititems(lambda name, item: found.append(f"{name} {dict(item.attrs)}"))
            sets = [item for item in map(file.get, list(_names(file))) if item is not None]
            found += [str(each[()]) for each in sets if each.size < 100_000]
        yield "\n".join(found).encode()


def _names(file: h5py.File) -> Iterator[str]:
    names: list[str] = []
    file.visititems(lambda n, item: names.append(n) if isinstance(item, h5py.Dataset) else None)
    yield from names


KINDS = (
    *("image.nii.gz", "image.provenance.json", "image.h5", "events.jsonl", "job/job.json"),
    *("exported.nii.gz", "exported.provenance.json", "map.h5", "exported.png", "converted.h5"),
    *("interrupted/checkpoint-0.bin", "interrupted/job.json", "printed.txt"),
)


@pytest.mark.essential
@pytest.mark.parametrize("kind", KINDS)
def test_outputs_contain_no_patient_name(outputs: Path, kind: str) -> None:
    for text in texts(outputs / kind):
        for canary in CANARIES:
            assert canary.encode() not in text, (kind, canary)
            assert canary.encode("utf-16-le") not in text, (kind, canary)


def test_identify_option_includes_the_names(scan: Path, tmp_path: Path) -> None:
    out = tmp_path / "image.h5"
    assert main(["reconstruct", str(scan), "-o", str(out), *QUICK, "--identify"]) == 0
    assert main(["export", str(out), str(tmp_path / "named.nii.gz"), "--identify"]) == 0
    assert main(["export", str(out), str(tmp_path / "unnamed.nii.gz")]) == 0
    named, unnamed = ((tmp_path / f"{n}.provenance.json").read_text() for n in ("named", "unnamed"))
    assert "Mustermann_Erika_19641221.h5" in named
    assert not any(canary in unnamed for canary in CANARIES)


def test_replay_line_with_pseudonyms_runs(scan: Path, outputs: Path, tmp_path: Path) -> None:
    original = read_volume(outputs / "image.h5")
    words = shlex.split(str(original.info["replay"]))
    words[words.index("-o") + 1] = str(tmp_path / "again.h5")
    assert main(words[1:]) == 0
    np.testing.assert_allclose(
        read_volume(tmp_path / "again.h5").values, original.values, rtol=1e-5
    )


def test_pseudonym_of_an_input_cannot_be_overwritten(
    scan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = scan.read_bytes()
    name = pseudonym_of(scan)
    assert main(["reconstruct", name, "-o", str(scan), "--force"]) == 2
    assert "never overwritten" in capsys.readouterr().err
    assert scan.read_bytes() == before


def test_pseudonym_cannot_be_an_output(
    scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before, name = scan.read_bytes(), pseudonym_of(scan)
    for verb in ("export", "convert"):
        source = scan if verb == "convert" else scan.with_name("Mustermann mu.nii.gz")
        assert main([verb, str(source), name, "--force"]) == 0
        assert (tmp_path / name).is_file() and scan.read_bytes() == before
        (tmp_path / name).unlink()
