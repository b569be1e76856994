"""Tests of provenance: complete, canonical, without names, and sufficient to repeat a run."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import nibabel
import numpy as np
import pytest

from engine.core import paths
from engine.core.backend import cpu
from engine.core.errors import CutOffError, FileFormatError, ResourceError
from engine.data.runs.events import Corrected, Finished
from engine.data.runs.history import RunHistory
from engine.data.runs.record import RecordedWarning
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode
from engine.io.input_files import files_behind
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.privacy.key import file_of, pseudonym_of
from engine.protocols.run_context import provenance
from engine.protocols.run_context.environment import environment
from engine.protocols.study.assignments import with_settings
from engine.simulate.listmode import simulate_listmode
from engine.simulate.phantoms import uniform_cylinder
from tests.engine.io.xray import xray_files
from tests.engine.run_records import recorded
from tests.farm.scans import ring, write_crystal_map, write_safir

GRID = ImageGrid((2, 3, 4), (1.0, 2.0, 3.0))
STARTED = datetime(2024, 2, 29, 23, 59, 59, tzinfo=timezone(timedelta(hours=2)))


def identified(study):
    return study.model_copy(update={"identified": True})


def built(study, **changes):
    values = {
        "scanner_fingerprint": {"name": "tiny", "positions": np.arange(3)},
        "facts": {"prompts": np.int64(7), "file": Path("/home/jane.doe/scan.l")},
        "run": recorded(2.5, 3, warnings=(RecordedWarning(text="/home/jane.doe/scan.l"),)),
        "history": RunHistory(
            STARTED,
            (STARTED + timedelta(seconds=60),),
            {"read": 0.5},
            (-3.0, float("-inf")),
            (0.5, 0.25),
        ),
        "ended_utc": STARTED + timedelta(seconds=90),
        "grid": GRID,
        "output_sha256": "0" * 64,
    }
    return provenance.build(study, **(values | changes))


@pytest.fixture
def study(tmp_path):
    scan = tmp_path / "jane.doe" / "scan.l"
    scan.parent.mkdir()
    scan.write_bytes(b"events")
    return Study(data=scan, protocol=ListModeProtocol())


def test_record_omits_folders_and_round_trips_as_json(study):
    record = built(study)
    text = provenance.to_json(record)
    assert "jane.doe" not in text
    assert str(Path.home()) not in text
    assert json.loads(text) == record
    assert record["scan"] == {"prompts": 7}
    assert record["log_likelihoods"] == [-3.0, "-inf"]
    assert record["relative_residuals"] == [0.5, 0.25]
    assert record["started_utc"] == "2024-02-29T21:59:59.000+00:00"
    assert record["resumed_utc"] == ["2024-02-29T22:00:59.000+00:00"]
    assert record["timings_s"] == {"read": 0.5}


def test_text_is_independent_of_key_order(study):
    record = built(study)
    backwards = dict(reversed(record.items()))
    assert provenance.to_json(record) == provenance.to_json(backwards)


def test_every_setting_is_recorded_with_its_default(study):
    record = built(study)
    assert record["protocol"] == ListModeProtocol().model_dump(mode="json")
    assert record["protocol"]["sensitivity"]["seed"] == 1


def test_full_scanner_is_recorded_with_its_digest(study):
    one, other = built(study), built(study, scanner_fingerprint={"name": "other"})
    assert one["scanner"]["full"] == {"name": "tiny", "positions": [0, 1, 2]}
    assert one["scanner"]["sha256"] != other["scanner"]["sha256"]


def test_files_are_recorded_by_name_size_and_digest(study):
    name = provenance.describe_inputs(study)["data"]["name"]
    assert name == pseudonym_of(study.data) and "scan" not in name
    assert provenance.describe_inputs(identified(study)) == {
        "data": {
            "name": "scan.l",
            "bytes": 6,
            "sha256": hashlib.sha256(b"events").hexdigest(),
            "modified": datetime.fromtimestamp(int(study.data.stat().st_mtime), UTC).isoformat(),
        }
    }


def test_changed_file_has_another_digest(study):
    before = provenance.hash_file(study.data)
    study.data.write_bytes(b"other.")
    stat = study.data.stat()
    os.utime(study.data, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert provenance.hash_file(study.data)["sha256"] != before["sha256"]


@pytest.mark.parametrize("named", ["scan.l.hdr", "scan.l"])
def test_header_and_data_file_share_one_digest(study, named):
    header = study.data.with_name("scan.l.hdr")
    header.write_text("!INTERFILE :=\nname of data file := scan.l\n")
    study.data.with_name("unrelated.l").write_bytes(b"no")
    chosen = study.model_copy(update={"data": header.with_name(named)})
    inputs = provenance.describe_inputs(identified(chosen))
    assert sorted(file["name"] for file in inputs.values()) == ["scan.l", "scan.l.hdr"]
    assert inputs["data"]["name"] == named
    pseudonyms = {file["name"] for file in provenance.describe_inputs(chosen).values()}
    stem = pseudonym_of(chosen.data).removesuffix(".hdr").removesuffix(".l")
    assert pseudonyms == {f"{stem}.l", f"{stem}.l.hdr"}


def test_images_of_a_scan_share_one_digest(tmp_path):
    scan = Study(data=xray_files.flexray(tmp_path), protocol=CtProtocol())
    images = sorted(tmp_path.glob("*.tif"))
    facts = provenance.describe_inputs(scan)["data, images"]
    assert facts["files"] == len(images) > 10
    assert facts["bytes"] == sum(image.stat().st_size for image in images)
    (tmp_path / "picture.tif").write_bytes(b"of something else")
    assert provenance.describe_inputs(scan)["data, images"] == facts
    last = images[-1].read_bytes()
    images[-1].write_bytes(last[:-1] + bytes([last[-1] ^ 1]))
    assert provenance.describe_inputs(scan)["data, images"]["sha256"] != facts["sha256"]


def test_linked_values_are_part_of_the_digest(tmp_path):
    scan = Study(data=xray_files.nxtomo_with_links(tmp_path), protocol=CtProtocol())
    before, values = provenance.describe_inputs(scan), tmp_path / "raw" / "eye_0001.h5"
    content = values.read_bytes()
    values.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    after = provenance.describe_inputs(scan)
    assert {role for role in before if before[role] != after[role]} == {"data, file 2"}


@pytest.mark.parametrize(("header", "values"), [("mu.mhd", "mu.raw"), ("mu.hdr", "mu.img")])
def test_detached_values_are_part_of_the_digest(study, tmp_path, header, values):
    map_of(tmp_path, header)
    chosen = Study(data=study.data, attenuation=tmp_path / header, protocol=study.protocol)
    before = provenance.describe_inputs(chosen)
    content = (tmp_path / values).read_bytes()
    (tmp_path / values).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    after = provenance.describe_inputs(chosen)
    assert {role for role in before if before[role] != after[role]} == {"attenuation, images"}
    assert tmp_path / values in files_behind(tmp_path / header)


def map_of(folder, header) -> None:
    """Write a map with its values in a separate file, with the library of its format."""
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    if header.endswith(".mhd"):
        fields = "NDims = 3\nDimSize = 4 3 2\nElementType = MET_FLOAT\nElementSpacing = 2 2 2\n"
        (folder / header).write_text(f"ObjectType = Image\n{fields}ElementDataFile = mu.raw\n")
        (folder / "mu.raw").write_bytes(values.tobytes())
    else:
        nibabel.Nifti1Pair(values, np.diag([2.0, 2, 2, 1])).to_filename(folder / header)


def test_voxel_size_file_is_part_of_the_digest(study, tmp_path):
    np.save(tmp_path / "mu.npy", np.ones((2, 2, 2)))
    text = tmp_path / "mu.json"
    text.write_text('{"voxel_mm": [1, 2, 3], "order": "zyx"}')
    chosen = Study(data=study.data, attenuation=tmp_path / "mu.npy", protocol=study.protocol)
    before = provenance.describe_inputs(chosen)
    text.write_text('{"voxel_mm": [1, 2, 4], "order": "zyx"}')
    stat = text.stat()
    os.utime(text, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    after = provenance.describe_inputs(chosen)
    assert {role for role in before if before[role] != after[role]} == {"attenuation, images"}


def test_scanner_files_and_auxiliary_images_are_recorded(study, tmp_path):
    for name in ("mu.nii", "norm.h5", "ring.toml"):
        (tmp_path / name).write_bytes(name.encode())
    full = Study(
        data=study.data,
        scanner=str(tmp_path / "ring.toml"),
        attenuation=tmp_path / "mu.nii",
        normalisation=tmp_path / "norm.h5",
        protocol=ListModeProtocol(),
    )
    assert sorted(provenance.describe_inputs(full)) == [
        "attenuation", "data", "normalisation", "scanner",
    ]  # fmt: skip
    named = full.model_copy(update={"scanner": "siemens_mmr"})
    assert "scanner" not in provenance.describe_inputs(named)


def test_missing_or_unreadable_file_gives_one_sentence(tmp_path):
    with pytest.raises(ResourceError, match="this file does not exist; check the path"):
        provenance.hash_file(tmp_path / "absent.l")
    with pytest.raises(FileFormatError, match="this is a folder"):
        provenance.hash_file(tmp_path)


def test_array_digest_is_independent_of_memory_order():
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = hashlib.sha256(values.astype("<f4").tobytes()).hexdigest()
    assert provenance.hash_array(values) == expected
    assert provenance.hash_array(np.asfortranarray(values)) == expected
    assert provenance.hash_array(values.astype(">f4")) == expected


@pytest.mark.parametrize(
    "protocol",
    [
        {},
        {"algorithm": {"kind": "mlem", "iterations": 7}},
        {"name": 'It\'s "mine"', "time_of_flight": False, "reproducible": True},
        {"grid": {"voxel_mm": (2, 2, 3.5), "diameter_mm": 120}},
        {"corrections": {"randoms": {"use": "off"}}, "sensitivity": {"seed": 5}},
        {"finishing": [{"kind": "gaussian", "fwhm_mm": 4}], "between": [{"kind": "median"}]},
    ],
    ids=str,
)
def test_replay_command_contains_the_whole_protocol(study, protocol):
    expected = ListModeProtocol.model_validate(protocol)
    line = provenance.replay_command(study.model_copy(update={"protocol": expected}))
    words = shlex.split(line)
    assert words[:2] == ["isocenter", "reconstruct"] and file_of(words[2]) == study.data
    given = tuple(words[i + 1] for i, word in enumerate(words) if word == "--set")
    assert with_settings(ListModeProtocol(), given) == expected
    assert "\n" not in line


def test_environment_names_packages_and_cores(study):
    found = environment()
    assert found["packages"]["numpy"] == np.__version__
    assert found["cores"] >= 1
    assert found["python"].startswith("3.")
    assert built(study)["environment"] == found


def test_home_variable_moves_caches_and_jobs(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "portable"))
    assert paths.cache_dir() == tmp_path / "portable" / "cache"
    assert paths.jobs_dir() == tmp_path / "portable" / "jobs"
    assert paths.jobs_dir().is_dir()
    (tmp_path / "file").touch()
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(ResourceError, match=paths.HOME_VARIABLE):
        paths.jobs_dir()


def test_replay_command_reproduces_the_bits(tmp_path):
    ring = RingSettings(
        name="tiny", n_rings=4, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=3, n_tangential=24, fov_mm=(60, 20), voxel_mm=(5, 5, 5),
    )  # fmt: skip
    scan = tmp_path / "scan.h5"
    phantom = uniform_cylinder(diameter_mm=40, length_mm=25)
    write_listmode(simulate_listmode(phantom, RingScanner(ring), n_prompts=3000, seed=1), scan)
    first = Study(
        data=scan,
        protocol=with_settings(ListModeProtocol(), ("reproducible=true", "algorithm.iterations=2")),
    )
    done = list(run(first, on=cpu(2)))[-1]
    assert isinstance(done, Finished)
    words = shlex.split(done.provenance["replay"])
    given = tuple(words[i + 1] for i, word in enumerate(words) if word == "--set")
    again = Study(data=file_of(words[2]), protocol=with_settings(ListModeProtocol(), given))
    repeated = list(run(again, on=cpu(1)))[-1]
    assert repeated.provenance["output"] == done.provenance["output"]


def test_truncated_scan_is_reported_in_counts_and_record(tmp_path):
    place = ring("Small ring", n_crystals=24, radius_mm=60)
    write_safir(tmp_path / "scan.clm.safir", place, seed=1)
    write_crystal_map(tmp_path / "crystal_map.txt", place)
    scan = tmp_path / "scan.clm.safir"
    scan.write_bytes(scan.read_bytes()[:-3])
    settings = ("algorithm.kind='mlem'", "algorithm.iterations=1", "sensitivity.method='sampled'")
    cut = Study(data=scan, protocol=with_settings(ListModeProtocol(), settings))
    with pytest.raises(CutOffError):
        list(run(cut, on=cpu(2)))
    events = list(run(cut.model_copy(update={"complete_events": True}), on=cpu(2)))
    record = events[-1].provenance
    assert (record["scan"]["complete_events"], record["scan"]["cut_off_bytes"]) == (300, 5)
    assert any("(events used: 300, bytes ignored: 5)" in text for text in record["warnings"])
    ledger = {entry["kind"]: entry for entry in record["corrections"]}
    assert ledger["complete_events"] == {
        "kind": "complete_events",
        "state": "applied",
        "level": "note",
        "text": "300 from a truncated file",
    }
    assert " --use-complete-events " in record["replay"]
    del ledger["complete_events"]["level"]
    assert Corrected(**ledger["complete_events"]) in events


def test_replay_command_names_every_given_file(study):
    given = {"attenuation": "mu.nii", "normalisation": "norm.n", "response": "response.h5"}
    paths = {role: study.data.with_name(name) for role, name in given.items()}
    full = study.model_copy(update={"inputs": paths})
    words = shlex.split(provenance.replay_command(identified(full)))
    assert words[:3] == ["isocenter", "reconstruct", "scan.l"]
    for role, name in given.items():
        assert words[words.index(f"--{role}") + 1] == name
    arguments = shlex.split(provenance.replay_command(full))
    for role, path in paths.items():
        assert file_of(arguments[arguments.index(f"--{role}") + 1]) == path
    assert not any(word.startswith("--att") for word in provenance.replay_command(study).split())
