"""Tests of the reader and the correction in the guide, copied as printed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from engine.io import read_volume
from tests.extensions.trial import ROOT, Trial

HALF_LIFE_S = 6586.2
HEADER = """ObjectType = Image
NDims = 3
DimSize = 4 3 2
ElementSpacing = 1.0 2.0 3.0
ElementType = MET_FLOAT
ElementDataFile = LOCAL
"""


def class_in_guide(name: str) -> str:
    """Return the file of the guide that defines a class."""
    text = Path(ROOT, "docs", "contributing", "adding.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (block,) = (each for each in blocks if f"class {name}(" in each)
    return str(block)


@pytest.mark.slow
def test_correction_of_the_guide_doubles_the_image(trial: Trial, pet_scan: list[str]) -> None:
    trial.add_file("engine/corrections/decay.py", class_in_guide("Decay"))
    trial.register(
        "engine/corrections/listmode.py", "CORRECTIONS", "engine.corrections.decay.Decay"
    )
    common = ["--set", "reproducible=true", "--set", "finishing=[]"]
    decayed = ["--set", "corrections.decay.use=auto"]
    decayed += ["--set", f"corrections.decay.delay_s={HALF_LIFE_S}"]

    answers = trial.run(
        pet_scan,
        ["reconstruct", "scan.h5", "-o", "plain.h5", *common],
        ["reconstruct", "scan.h5", "-o", "decayed.h5", *common, *decayed],
        ask={"offered_texts": {}},
    )

    plain, twice = (read_volume(trial.work / f"{name}.h5").values for name in ("plain", "decayed"))
    assert twice.sum() / plain.sum() == pytest.approx(2, rel=1e-3)
    assert "Decay" in answers["offered_texts"]["pet"]


def test_reader_of_the_guide_reads_a_foreign_file(trial: Trial) -> None:
    trial.add_file("engine/io/slab.py", class_in_guide("SlabVolume"))
    trial.register_format("VOLUME", "engine.io.slab.SlabVolume")
    values = np.arange(24, dtype="<f4").reshape(2, 3, 4)
    (trial.work / "image.slab").write_bytes(HEADER.encode() + values.tobytes())

    (trial.work / "short.slab").write_bytes(HEADER.encode() + values.tobytes()[:-4])

    answers = trial.run(
        ["inspect", "image.slab"],
        ["export", "image.slab", "image.h5"],
        ask={"refusal": {"command": ["export", "short.slab", "short.h5"]}},
    )

    assert "short.slab: the header does not fit" in answers["refusal"]
    volume = read_volume(trial.work / "image.h5")
    np.testing.assert_array_equal(volume.values, values)
    assert volume.grid.voxel_mm == (1.0, 2.0, 3.0)
