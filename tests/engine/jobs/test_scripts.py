"""Tests of commands and scripts of a study, which give the same bits as the study.

Twenty studies of all kinds run four times: from the study, by the command, by the script, and by
the command in the record of the image.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isocenter as iso
from engine.cli.main import main
from engine.core.errors import SettingsError
from engine.data.runs.events import Finished
from engine.jobs import command_of, script_of
from engine.modalities.studies import shipped_protocols
from engine.protocols.run_context.assigned import assignments, table_of
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.study import StudyInMemory
from tests.engine.jobs.test_scan_in_memory import KINDS, OSEM, cone, events, fan, sinogram


@dataclass(frozen=True)
class Case:
    """A study: scan, file name and further values.

    Attributes
    ----------
    make : returns the scan
    name : file name of the scan
    protocol : None for the standard one
    more : further values of the study
    prepare : writes further files into the folder of the scan, and returns values of the study
    """

    make: Callable[[], Any]
    name: str
    protocol: Protocol | None = None
    more: dict[str, Any] = field(default_factory=dict)
    prepare: Callable[[Path], dict[str, Any]] = lambda folder: {}


def with_sinograms(folder: Path) -> dict[str, Any]:
    layout = sinogram().layout
    factors = np.random.default_rng(8).uniform(0.8, 1.2, layout.shape).astype(np.float32)
    names = ("randoms_sinogram", "normalisation_sinogram")
    for name in names:
        iso.save(iso.Sinogram(layout, factors), folder / f"{name}.hs")
    return {"inputs": {name: folder / f"{name}.hs" for name in names}}


def with_attenuation(folder: Path) -> dict[str, Any]:
    grid = iso.ImageGrid(shape=(3, 15, 15), voxel_mm=(4, 4, 6))
    values = np.full(grid.shape, 0.0096, np.float32)
    iso.save(iso.Volume(values, grid, "1/mm"), folder / "mu map.nii.gz")
    return {"inputs": {"attenuation": folder / "mu map.nii.gz"}}


def ct(*settings: str) -> Protocol:
    return with_settings(iso.CtProtocol(), settings)


def pet(*settings: str) -> Protocol:
    return with_settings(iso.ListModeProtocol(algorithm=OSEM), settings)


CASES = {kind: Case(*given) for kind, given in KINDS.items()} | {
    "folder with a space, quotes in the name": Case(
        fan, "it's a \"fan\".h5", ct('name="Ä \\"quoted\\" $HOME `name`"')
    ),
    "μ-map": Case(events, "scan.h5", pet(), prepare=with_attenuation),
    "randoms and factors": Case(sinogram, "scan.hs", None, prepare=with_sinograms),
    "MAP": Case(
        events, "scan.h5",
        pet("algorithm=map", "algorithm.iterations=1", "algorithm.subsets=3"),
    ),
    "identified, two filters": Case(
        events, "scan.h5",
        pet('finishing=[{kind="gaussian", fwhm_mm=3.0}, {kind="median"}]'), {"identified": True},
    ),
    "shipped protocol": Case(cone, "scan.h5", iso.find_protocol("ct-micro")),
    "shipped protocol with an emptied setting": Case(
        cone, "scan.h5",
        with_settings(iso.find_protocol("demo-ct"), ("grid.voxel_mm=none", "beam=none")),
    ),
    "part of the object": Case(
        cone, "scan.h5",
        ct("grid.centre_mm=[2.5,-1,0]", "grid.diameter_mm=20", "steps.roll.use=off"),
    ),
}  # fmt: skip


def standard(path: Path) -> Protocol:
    """Return the protocol that the command uses for a scan."""
    from engine.modalities.studies import study_at

    return study_at(path).protocol


@pytest.mark.parametrize("kind", CASES)
def test_command_and_script_give_the_bits_of_the_study(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, folder = CASES[kind], tmp_path / "my scans"
    folder.mkdir()
    iso.save(case.make(), folder / case.name)
    values = {"data": folder / case.name, **case.more, **case.prepare(folder)}
    study = iso.Study(protocol=case.protocol or standard(values["data"]), **values)
    expected = finished(study)

    words = shlex.split(command_of(study, tmp_path / "by command.h5", device="cpu", threads=1))
    assert words[0] == "isocenter"
    monkeypatch.chdir(tmp_path)
    assert main([*words[1:], "--quiet"]) == 0
    assert image(tmp_path / "by command.h5") == expected.volume.values.tobytes()

    text = script_of(study, Path("by script.h5"), device="cpu", threads=1)
    assert max(len(line) for line in text.splitlines()[1:]) <= 100 + len(str(folder))
    exec(compile(text, "script", "exec"), {})
    if not expected.frames:
        assert image(tmp_path / "by script.h5") == expected.volume.values.tobytes()
    for n, each in enumerate(expected.frames, 1):
        assert image(tmp_path / f"by script-{n}.h5") == each.volume.values.tobytes()

    # The record has names or pseudonyms
    monkeypatch.chdir(folder if study.identified else tmp_path)
    replay = shlex.split(expected.provenance["replay"])
    assert main([*replay[1:], "--quiet", "--device", "cpu", "--threads", "1"]) == 0
    if not expected.frames:
        assert image(Path("image.nii.gz")) == expected.volume.values.tobytes()


def finished(study: iso.Study) -> Finished:
    """Return the final event of a run on one thread, which has a fixed order of sums."""
    return next(e for e in iso.run(study, on=iso.cpu(1)) if isinstance(e, Finished))


def image(path: Path) -> bytes:
    found = iso.read(path)
    assert isinstance(found, iso.Volume)
    return found.values.tobytes()


def test_protocol_classes_are_public() -> None:
    """Scripts use them with the prefix `iso.`."""
    for each in shipped_protocols().values():
        assert getattr(iso, type(each).__name__) is type(each)


PAIRS = [
    (name, other)
    for name, one in shipped_protocols().items()
    for other, two in shipped_protocols().items()
    if type(one) is type(two)
]


def test_twenty_studies_are_tested() -> None:
    assert len(CASES) >= 20


@pytest.mark.parametrize("name", shipped_protocols())
def test_command_names_a_built_in_protocol_without_settings(name: str, tmp_path: Path) -> None:
    study = iso.Study(data=tmp_path / "scan.h5", protocol=name)
    words = shlex.split(command_of(study))
    assert words[3:] == ["--protocol", name, "-o", "image.nii.gz"]


@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_options_convert_each_protocol_into_every_other(name: str, other: str) -> None:
    """Settings that only one of the protocols has are included."""
    expected, base = iso.find_protocol(name), iso.find_protocol(other)
    assert with_settings(base, tuple(assignments(expected, base))) == expected


def test_script_contains_the_protocol_as_a_table(tmp_path: Path) -> None:
    protocol = ct("name='It \"is\" mine\\\\'", "algorithm.window=hann")
    tree = ast.parse(script_of(iso.Study(data=tmp_path / "a.h5", protocol=protocol)))
    call = next(n for n in ast.walk(tree) if isinstance(n, ast.Call))
    given = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    assert (ast.unparse(call.func), given) == ("iso.CtProtocol", table_of(protocol))


def test_file_or_protocol_name_cannot_inject_code(tmp_path: Path) -> None:
    """Names of files and protocols are untrusted."""
    name = '"""\nimport os\nos.abort()\n"""\u202e'
    study = iso.Study(
        data=tmp_path / f"{name.replace('/', '')}.h5", protocol=iso.CtProtocol(name='x"""\\')
    )
    text = script_of(study)
    assert [type(each) for each in ast.parse(text).body] == [
        ast.Expr, ast.Import, ast.Assign, ast.Assign, ast.Assign, ast.Expr,
    ]  # fmt: skip
    assert "\u202e" not in text
    assert shlex.split(command_of(study))[2] == str(study.data)


def test_scan_in_memory_has_no_command() -> None:
    study = StudyInMemory(protocol=iso.CtProtocol())
    for write in (command_of, script_of):
        with pytest.raises(SettingsError, match=r"the scan has no file.*isocenter\.save"):
            write(study)


def test_protocol_that_options_cannot_express_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command must not have other settings than the study."""
    monkeypatch.setattr("engine.jobs.scripts.assignments", lambda protocol, base=None: ["name='b'"])
    study = iso.Study(data=tmp_path / "a.h5", protocol=iso.CtProtocol(name="a"))
    with pytest.raises(SettingsError, match=r"cannot be stated by options.*Save the study"):
        command_of(study)


def test_command_prints_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    iso.save(fan(), tmp_path / "scan.h5")
    (tmp_path / "there.h5").touch()  # an existing image is not changed
    arguments = ["reconstruct", str(tmp_path / "scan.h5"), "--set", "algorithm.window=hann"]
    out = ["-o", str(tmp_path / "there.h5"), "--threads", "1", "--device", "cpu", "--as-script"]
    assert main([*arguments, *out]) == 0
    study = iso.Study(data=tmp_path / "scan.h5", protocol=ct("algorithm.window=hann"))
    expected = script_of(study, tmp_path / "there.h5", device="cpu", threads=1)
    assert capsys.readouterr().out == expected
    assert (tmp_path / "there.h5").read_bytes() == b""


def test_scan_kind_can_be_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    iso.save(events(), tmp_path / "scan.h5")
    base = ["reconstruct", str(tmp_path / "scan.h5"), "--as-script", "--set"]
    assert main([*base, "modality=dual-head"]) == 0
    assert "iso.DualHeadProtocol()" in capsys.readouterr().out
    assert main([*base, "modality=mri"]) == 2
    assert "modality is 'mri', expected one of" in capsys.readouterr().err
