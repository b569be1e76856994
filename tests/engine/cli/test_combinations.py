"""Options that would have no effect are refused, with both options and the remedy."""

from __future__ import annotations

import argparse

import numpy as np
import pytest

from engine.analysis.quality.phantoms import QUALITY_PHANTOMS
from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main, parser
from engine.cli.parser import RULES, contradiction, excludes, leaves, needs
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save

PROJECTIONS = ["simulate", "projections", "--views", "4", "--detector", "8", "8"]
SUV = ["suv", "a.h5", "--weight-kg", "70"]


def small_parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser()
    p.add_argument("--turn", type=float, default=0.0)
    p.add_argument("--place")
    p.add_argument("--orbit", default="circle")
    p.add_argument("--plain", action="store_true")
    needs(p, "--turn", "--place", "--orbit helix")
    excludes(p, "--plain", "--turn", "--orbit *.geom")
    return p


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--turn", "3"], "--turn has an effect only with --place or --orbit helix. Add it"),
        (["--plain", "--turn", "3", "--place", "x"], "--plain and --turn cannot be combined."),
        (["--plain", "--orbit", "A.geom"], "--plain and --orbit *.geom cannot be combined."),
    ],
)
def test_rules_name_both_options(words, said) -> None:
    assert said in contradiction(small_parser().parse_args(words))


@pytest.mark.parametrize(
    "words", [[], ["--turn", "3", "--place", "x"], ["--turn", "3", "--orbit", "helix"], ["--plain"]]
)
def test_rules_accept_everything_else(words) -> None:
    assert not contradiction(small_parser().parse_args(words))


@pytest.mark.parametrize("leaf", [*leaves(parser())], ids=lambda leaf: leaf.prog)
def test_defaults_obey_the_rules(leaf) -> None:
    """A rule against a default would refuse every call of the verb."""
    rules = leaf.get_default(RULES) or ()
    defaults = argparse.Namespace(**{each.dest: each.default for each in leaf._actions})
    for rule in rules:
        assert not rule.fault(defaults)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["quality", "a.h5", "--phantom=ct-water", "--contrast=8"], "only with --phantom nema-nu2"),
        (["quality", "a.h5", "--phantom=nema-nu2", "--turn=5"], "--turn has an effect only with"),
        ([*PROJECTIONS, "--noiseless", "--photons=10"], "--noiseless and --photons cannot be"),
        ([*PROJECTIONS, "--pitch=50"], "--pitch has an effect only with --orbit helix"),
        ([*PROJECTIONS, "--orbit=helix", "--roll=3"], "--roll and --orbit helix cannot be"),
        ([*PROJECTIONS, "--orbit=a.geom", "--roll=3"], "--roll and --orbit *.geom cannot be"),
        (
            [*PROJECTIONS, "--orbit=parallel", "--source-axis=9"],
            "--source-axis and --orbit par",
        ),
        (
            ["simulate", "listmode", "--grey=a.h5", "--phantom=point"],
            "--phantom cannot be combined",
        ),
        (["inspect", "a.h5", "-o", "s.png"], "-o has an effect only with --candidates"),
        (["inspect", "a.h5", "--around", "3"], "--around has an effect only with --candidates"),
        (["queue", "add", "a.toml", "--format=.h5"], "--format has an effect only with -o"),
        (["storage", "--yes"], "--yes has an effect only with --clear"),
        (["tune", "cone", "--forget", "--device=cpu"], "--forget and --device cannot be combined"),
        (["gpu-check", "--table", "a.json", "--quick"], "--table and --quick cannot be combined"),
        (["report", "x", "--remark", "r"], "--remark has an effect only with --sign"),
        (["report", "x", "--judgement", "not acceptable"], "--judgement has an effect only with"),
        (["report", "x", "-o", "r.pdf", "--like", "a.dcm"], "--like has an effect only with -o"),
        (["regions", "a.h5", "--regions=r.toml", "--identify"], "--dicom or --rtstruct or --sr"),
        (
            ["calibrate", "a.h5", "--activity-mbq=1", "--volume-ml=1", "--zone=Europe/Berlin"],
            "--zone has an effect only with --at",
        ),
        (["mu-map", "a.h5", "--classes=1=lung", "--unit=HU"], "--classes and --unit cannot be"),
        (["live", "reconstruct", "a.h5", "--newest=5"], "--newest has an effect only with --mode"),
        ([*SUV, "--series=a.json"], "--series and --weight-kg cannot be combined"),
        ([*SUV, "--nuclide=F-18", "--half-life-s=9"], "--half-life-s and --nuclide cannot be"),
    ],
)
def test_useless_option_is_refused_before_any_work(
    tmp_path, monkeypatch, capsys, command, said
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == USER_FAULT
    shown = capsys.readouterr()
    assert said in shown.err and len(shown.err.splitlines()) == 1 and not shown.out
    assert not list(tmp_path.iterdir())


def test_each_fact_of_a_phantom_has_an_option() -> None:
    from engine.cli.measure.quality import FACTS

    used = frozenset().union(*(each.uses for each in QUALITY_PHANTOMS))
    assert used == set(FACTS.values())


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--weight-kg=0", "The weight is 0 kg, expected 0.005 to 500 kg"),
        ("--height-cm=0", "The height is 0 cm, expected 20 to 280 cm"),
        ("--half-life-s=0", "The half-life is 0 s, expected 1 to 1e+10 s"),
        ("--half-life-s=-5", "The half-life is -5 s, expected 1 to 1e+10 s"),
        ("--half-life-s=1e30", "The half-life is 1e+30 s, expected 1 to 1e+10 s"),
        ("--frame-s=0", "The frame duration is 0 s, expected 1e-06 to 1e+06 s"),
        ("--dose-mbq=1e30", "The dose is 1e+30 MBq, expected 1e-06 to 1e+06 MBq"),
        ("--bq-ml-per-unit=1e38", "gives values beyond the range of an image"),
    ],
)
def test_impossible_fact_never_selects_that_of_the_image(
    tmp_path, monkeypatch, capsys, option, said
) -> None:
    monkeypatch.chdir(tmp_path)
    grid = ImageGrid((2, 2, 2), (1, 1, 1))
    save(Volume(np.full(grid.shape, 1e6, np.float32), grid, "counts"), tmp_path / "a.h5")
    facts = {
        "--weight-kg": "70", "--height-cm": "170", "--dose-mbq": "1", "--half-life-s": "6586",
        "--frame-s": "60", "--bq-ml-per-unit": "1", "--decay-corrected-to": "none",
        "--injected-at": "2026-11-22T10:00", "--started-at": "2026-11-22T11:00",
    } | dict([option.split("=")])  # fmt: skip
    command = ["suv", "a.h5", "-o", "s.h5", *(f"{key}={value}" for key, value in facts.items())]
    assert main(command) == USER_FAULT
    assert said in capsys.readouterr().err
    assert not (tmp_path / "s.h5").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--normalisation", "n.h5"], "does not use --normalisation. It is for list-mode PET"),
        (["--scanner", "demo-ring"], "does not use --scanner. X-ray scans contain their geometry"),
        (["--mode=sliding", "--newest=5"], "does not use --newest. It is for list-mode PET"),
        (["--sub"], "does not use --sub. It is for addresses such as tcp://HOST:PORT"),
    ],
)
def test_live_scan_refuses_files_that_it_would_not_use(
    tmp_path, monkeypatch, capsys, options, said
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*PROJECTIONS, "-o", "x.h5"]) == 0
    capsys.readouterr()
    command = ["live", "reconstruct", "x.h5", "--replay", "-o", "l.nii.gz", *options]
    assert main(command) == USER_FAULT
    assert said in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["x.h5"]


@pytest.mark.parametrize(("option", "value"), [("--frames", "n=2"), ("--seed", "3")])
def test_option_of_another_kind_of_scan_is_named(
    tmp_path, monkeypatch, capsys, option, value
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*PROJECTIONS, "-o", "x.h5"]) == 0
    capsys.readouterr()
    assert main(["reconstruct", "x.h5", "-o", "a.h5", option, value]) == USER_FAULT
    assert f"{option} has no meaning for X-ray CT. Remove it." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "1"], "live recordings list: RECORDING has no effect"),
        (["discard", "1", "-o", "a.h5"], "live recordings discard: -o has no effect"),
        (["convert", "1", "--json", "-o", "a.h5"], "live recordings convert: --json has no effect"),
    ],
)
def test_recordings_refuse_what_they_would_ignore(words, said, capsys) -> None:
    assert main(["live", "recordings", *words]) == USER_FAULT
    assert said in capsys.readouterr().err


def test_result_cannot_be_deleted_and_pinned(capsys) -> None:
    assert main(["results", "--delete", "a", "b", "--pin", "b"]) == USER_FAULT
    assert "b: --delete and --pin contradict each other. Nothing" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["/tmp/n.toml", "../n.toml", "n", "n.txt"])
def test_description_of_an_import_is_a_file_next_to_the_scan(name, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["import", "noise.bin", "--name", name])
    assert ended.value.code == USER_FAULT
    assert (
        f"{name!r} is not valid; expected a file name such as scan.toml" in capsys.readouterr().err
    )
