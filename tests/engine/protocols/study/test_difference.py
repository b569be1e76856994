"""Tests of the texts of differences between two studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.difference import differences

THEN = Study(data="/a/scan.l", protocol=ListModeProtocol(name="Small"))


def now(**changes) -> Study:
    values = THEN.protocol.model_dump(mode="json")
    for key, value in changes.items():
        group = values.get(key)
        same_kind = isinstance(group, dict) and value.get("kind", group.get("kind")) == group.get(
            "kind"
        )
        values[key] = group | value if same_kind else value
    return Study(data=THEN.data, protocol=ListModeProtocol.model_validate(values))


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (THEN, []),
        (now(algorithm={"iterations": 6}), ["iterations automatic, now 6"]),
        (now(algorithm={"kind": "mlem"}), ["algorithm OSEM, 3 iterations × 8 subsets, now MLEM, "
                                           "20 iterations"]),
        (now(grid={"voxel_mm": [2, 2, 1.5]}), ["voxel size automatic, now 2 × 2 × 1.5 mm"]),
        (now(grid={"diameter_mm": 300.0}), ["diameter automatic, now 300 mm"]),
        (now(error_replicates=20), ["error map none, now 20"]),
        (now(time_of_flight=False), ["time of flight on, now off"]),
        (now(corrections={"randoms": {"use": "off", "model": "auto"}}),
         ["randoms automatic, now off"]),
        (now(finishing=[]), ["finishing Gaussian 1.5 voxels, now none"]),
        (now(name="Other"), []),
        (THEN.model_copy(update={"data": Path("/a/other.l")}), ["scan scan.l, now other.l"]),
        (THEN.model_copy(update={"scanner": "demo-ring"}), ["scanner none, now demo-ring"]),
        (THEN.model_copy(update={"data": Path("/b/scan.l")}), ["scan /a/scan.l, now /b/scan.l"]),
        (Study(data=THEN.data, protocol=CtProtocol(name="Chest")), ["protocol Small, now Chest"]),
    ],
)  # fmt: skip
def test_differences_are_listed(study, words):
    assert [str(each) for each in differences(THEN, study)] == words


def test_another_file_at_the_same_path_is_a_difference():
    """A scanner export can replace a file by that of another patient."""

    def with_files(**digests: str) -> Study:
        files = {"inputs": {"tracer": Path("/a/tracer.toml")}, "fingerprints": digests}
        return THEN.model_copy(update=files)

    then = with_files(data="a" * 64, tracer="c" * 64)
    assert differences(then, with_files(data="a" * 64, tracer="c" * 64)) == []
    found = differences(then, with_files(data="b" * 64, tracer="d" * 64))
    assert [str(each) for each in found] == [
        "scan scan.l (aaaaaaaa), now scan.l (bbbbbbbb)",
        "tracer tracer.toml (cccccccc), now tracer.toml (dddddddd)",
    ]
    # Hand-written studies and those of earlier versions have no fingerprints.
    assert differences(then, with_files()) == differences(with_files(), then) == []
