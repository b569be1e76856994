"""Test that no output option of any verb overwrites an input of its command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main, parser
from engine.cli.outputs import Output, refuse_outputs
from engine.core.errors import OutputError
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import save, write_listmode
from engine.jobs.checkpoint import Job
from engine.modalities.studies import read_study

RING = RingSettings(
    name="tiny", n_rings=2, n_crystals_per_ring=16, radius_mm=60, ring_pitch_mm=5,
    max_ring_difference=1, n_tangential=8, voxel_mm=(5, 5, 5), fov_mm=(40, 10),
)  # fmt: skip

INPUTS = ("scan.h5", "scan.l", "scan.l.hdr", "mu.nii.gz", "mu.provenance.json", "eff.csv")
COMMANDS: dict[str, list[str]] = {
    "reconstruct": ["study.toml", "--protocol", "p.toml", "--scanner", "s.toml"],
    "queue add": ["study.toml"],
    "resume": ["job"],
    "demo": ["--headless", "--threads", "1"],
    "inspect": ["scan.h5", "--candidates", "axis", "--protocol", "p.toml"],
    "simulate projections": ["--phantom", "mu.nii.gz", "--orbit", "o.geom"],
    "simulate histogram": ["--scanner", "s.toml", "--response", "r.h5"],
    "simulate listmode": ["--scanner", "s.toml", "--grey", "mu.nii.gz", "--white", "eff.csv"],
    "response build": ["--scanner", "s.toml"],
    "response import": ["matrix.npy", "--scanner", "s.toml"],
    "export": ["mu.nii.gz"],
    "dicom write": ["mu.nii.gz", "--like", "scan.l"],
    "dicom extract": ["scan.l"],
    "dicom capture": ["mu.nii.gz", "--like", "scan.l"],
    "dicom worklist": ["--to", "127.0.0.1:9"],
    "calibrate": ["mu.nii.gz", "--activity-mbq", "1", "--volume-ml", "1"],
    "suv": ["mu.nii.gz"],
    "resolution": ["scan.h5", "--scanner", "s.toml"],
    "normalise": ["scan.h5", "--source", "cylinder", "--radius-mm", "9", "--scanner", "s.toml"],
    "quality": ["mu.nii.gz", "--phantom", "ct-water"],
    "sinogram": ["scan.h5"],
    "curve": ["mu.h5", "--at", "0,0,0"],
    "regions": ["mu.nii.gz", "--regions", "s.toml", "--like", "scan.l"],
    "studies": [],
    "protocols": ["p.toml"],
    "scanners": [],
    "phantoms": [],
    "settings": [],
    "report": ["no-result", "--regions", "s.toml", "--like", "scan.l"],
    "register": ["mu.nii.gz", "scan.h5"],
    "mu-map": ["mu.nii.gz"],
    "convert": ["scan.l.hdr", "--scanner", "s.toml"],
    "bench listmode": [],
    "bench cone": [],
    "bench gpu": [],
    "bench peers": [],
    "bench dual-head": ["--response", "r.h5"],
    "bench kernels": ["--counted"],
    "bench window": [],
    "bench live": [],
    "bench report": ["figures.json"],
    "live reconstruct": ["scan.h5", "--replay", "--protocol", "p.toml"],
    "live recordings": ["convert", "1", "--geometry", "scan.h5"],
    "tune": ["cone"],
    "doctor": [],
    "gpu-check": ["--device", "cpu", "--quick"],
}
"""A command for each verb that writes files; all its file names are inputs."""
READ_WITH = {
    "study.toml": (*INPUTS, "study.toml"),
    "job": (*INPUTS, "job/job.json", "job/study.toml"),
    "scan.l.hdr": ("scan.l.hdr", "scan.l"),
    "mu.nii.gz": ("mu.nii.gz", "mu.provenance.json"),
}
"""Additional files that a reader opens for a named file."""


def verbs(top: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, list[Output], bool]]:
    """Yield each verb, its outputs, and True if it accepts --force."""
    kinds = [each for each in top._actions if isinstance(each, argparse._SubParsersAction)]
    for kind in kinds:
        for word, inner in kind.choices.items():
            yield from verbs(inner, f"{name} {word}".strip())
    if not kinds:
        outputs = [each for each in top._actions if isinstance(each, Output)]
        yield name, outputs, "--force" in top._option_string_actions


WRITING = {name: outputs for name, outputs, _ in verbs(parser()) if outputs}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inputs")
    scanner = RingScanner(RING)
    lines = np.random.default_rng(4).integers(0, scanner.n_lors, 50)
    write_listmode(ListMode(scanner, scanner.lors(lines), duration_s=1.0), path / "scan.h5")
    grid = ImageGrid((2, 2, 2), (5.0, 5.0, 5.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), path / "mu.nii.gz")
    (path / "scan.l").write_bytes(bytes(64))
    (path / "scan.l.hdr").write_text("!INTERFILE:=\nname of data file := scan.l\n")
    (path / "study.toml").write_text(
        'data = "scan.l"\nscanner = "scan.h5"\nattenuation = "mu.nii.gz"\n'
        'normalisation = "eff.csv"\n[protocol]\n'
    )
    for name in ("eff.csv", "p.toml", "s.toml", "o.geom", "r.h5", "matrix.npy", "figures.json"):
        (path / name).write_bytes(b"an input")
    Job.create(read_study(path / "study.toml"), path / "job")
    return path


def digests(folder: Path) -> dict[str, str]:
    files = [each for each in folder.rglob("*") if each.is_file()]
    return {str(each): sha256(each.read_bytes()).hexdigest() for each in files}


def targets(output: Output, verb: str, victim: Path, out: Path) -> Iterator[Path]:
    """Yield values of an option that would overwrite `victim`."""
    out.mkdir()
    queued = [victim.parent / "study.toml"]
    namespace = argparse.Namespace(
        demo="pet", studies=queued, identify=False, format=".nii.gz", force=True, of_events=True
    )
    files = list(output.written(out / "x.h5", namespace))
    if [path.name for path in files] != ["x.h5"]:  # several files: each is a link to `victim`
        files[0].parent.mkdir(exist_ok=True)
        files[0].symlink_to(victim)
        files[-1].hardlink_to(victim)
        yield out / "x.h5"
        return
    others = (out / "link.h5", out / "twin.h5", victim.parent / "job" / ".." / victim.name)
    others[0].symlink_to(victim)
    others[1].hardlink_to(victim)
    yield victim
    yield others[int(out.name) // 2 % 3]  # only one alias per input, because parsing is slow


def cases() -> Iterator[tuple[str, Output]]:
    for verb, outputs in WRITING.items():
        for output in outputs:
            yield verb, output


def name_of(value: object) -> str:
    return value if isinstance(value, str) else str(getattr(value, "dest", value))


def test_every_verb_with_outputs_is_tested_and_accepts_force() -> None:
    assert set(WRITING) == set(COMMANDS)
    assert all(knows for name, outputs, knows in verbs(parser()) if outputs)


def test_every_option_with_an_output_name_is_an_output() -> None:
    output_options = {
        "-o",
        "--output",
        "--out",
        "--json",
        "--keep-tuning",
        "--checkpoint",
        "--bundle",
    }
    found = {
        each.dest
        for actions in _all_actions(parser())
        for each in actions
        # without a value, the option prints events as JSON
        if output_options & {*each.option_strings}
        and not isinstance(each, Output)
        and each.nargs != 0
    }
    assert not found


def _all_actions(top: argparse.ArgumentParser) -> Iterator[list[argparse.Action]]:
    yield top._actions
    for each in top._actions:
        if isinstance(each, argparse._SubParsersAction):
            for inner in each.choices.values():
                yield from _all_actions(inner)


@pytest.mark.parametrize(("verb", "output"), list(cases()), ids=name_of)
def test_output_never_overwrites_an_input(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: str,
    output: Output,
) -> None:
    monkeypatch.chdir(folder)
    words = COMMANDS[verb]
    inputs = [each for word in words for each in READ_WITH.get(word, (word,))]
    before = digests(folder)
    tried = 0
    for name in [each for each in inputs if (folder / each).exists()]:
        for target in targets(output, verb, folder / name, tmp_path / f"{tried}"):
            command = [*verb.split(), *words, *_written_to(output, target, verb), "--force"]
            assert main(command) == USER_FAULT, command
            message = capsys.readouterr().err
            assert message.startswith("isocenter: ") and message.count("\n") == 1, message
            assert "never overwritten" in message, message
            tried += 1
    assert digests(folder) == before
    assert tried or not any((folder / word).exists() for word in words)


@pytest.mark.parametrize(("verb", "output"), list(cases()), ids=name_of)
def test_output_cannot_have_a_device_name(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: str,
    output: Output,
) -> None:
    namespace = argparse.Namespace(demo="pet", studies=[])
    if output.written(Path("x.h5"), namespace) != (Path("x.h5"),):
        pytest.skip("the output is a folder with fixed file names")
    monkeypatch.chdir(folder)
    target = _written_to(output, tmp_path / "nul.h5", verb)
    assert main([*verb.split(), *COMMANDS[verb], *target, "--force"]) == USER_FAULT
    message = capsys.readouterr().err
    assert (
        "'nul.h5': Windows reserves this name for a device" in message and message.count("\n") == 1
    )
    assert not list(tmp_path.iterdir())


def _written_to(output: Output, target: Path, verb: str) -> list[str]:
    """Return the arguments that direct an option to `target`, with the required options.

    A positional output is last. If another option is tested, the required -o gets a new name.
    """
    if not output.option_strings:
        return [str(target)]
    others = [each for each in WRITING[verb] if each.required and each is not output]
    needed = [w for each in others for w in (each.option_strings[0], str(target.parent / "new.h5"))]
    return [output.option_strings[0], str(target), *needed]


def test_other_file_is_replaced_only_with_force(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "image.nii.gz"
    out.write_bytes(b"a result of yesterday")
    command = ["export", str(folder / "mu.nii.gz"), str(out)]
    assert main(command) == USER_FAULT
    assert "add --force" in capsys.readouterr().err
    assert out.read_bytes() == b"a result of yesterday"
    assert main([*command, "--force"]) == 0
    assert out.read_bytes() != b"a result of yesterday"


def test_sidecar_of_another_image_is_not_replaced(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "image.provenance.json").write_text("of another image")
    command = ["export", str(folder / "mu.nii.gz"), str(tmp_path / "image.nii.gz")]
    assert main(command) == USER_FAULT
    assert not (tmp_path / "image.nii.gz").exists()


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["report", "R", "-o", "r.html", "--force"], "r.html"),
        (["report", "R", "-o", "r.pdf", "--full", "--force"], "r.pdf"),
        (["report", "R", "-o", "r.dcm", "--force"], "r.dcm"),
        (["report", "R", "-o", "r.capture.dcm", "--force"], "r.capture.dcm"),
        (["report", "R", "-o", "./r.html", "--force"], "r.html"),
        (["report", "R", "-o", "r.html", "--sign", "A", "--force"], "r.html"),
        (["dicom", "worklist", "--to", "a:1", "--keep", "o.json", "--force"], "o.json"),
    ],
)
def test_omitted_option_is_not_the_current_folder(
    words: list[str], output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / output).touch()
    arguments = parser(words[0]).parse_args(words)
    refuse_outputs(arguments)
    arguments.force = False
    with pytest.raises(OutputError, match="already exists"):
        refuse_outputs(arguments)


@pytest.mark.skipif(sys.platform == "win32", reason="links need permission on Windows")
@pytest.mark.parametrize("name", ["x.v", "x.hv.provenance.json"])
def test_link_at_a_second_output_file_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_bytes(b"precious")
    arguments = parser("export").parse_args(["export", "in.nii", "x.hv", "--force"])
    (tmp_path / "x.hv").symlink_to("mine")
    refuse_outputs(arguments)  # the user named this file
    (tmp_path / "other").write_bytes(b"precious")
    (tmp_path / name).symlink_to("other")
    with pytest.raises(
        OutputError, match=f"{name}: an output would replace the target of this link"
    ):
        refuse_outputs(arguments)
