"""Tests of extension formats, an event reader and a volume writer: one file and one name each."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from engine.cli import main
from engine.io import read_listmode, read_volume
from tests.extensions.conftest import tiny_trial
from tests.extensions.trial import Trial

EVENTS = '''
    """Events as lines of two crystals each, below the name of the scanner."""

    from __future__ import annotations

    from typing import ClassVar

    import numpy as np

    from engine.data.listmode import ListMode
    from engine.io.base import ListModeReader
    from engine.io.safety.open_input import InputFile
    from engine.io.scanners import read_scanner

    MARK = b"# pairs of crystals"


    class PairsOfCrystals(ListModeReader):
        """Text of pairs."""

        name: ClassVar[str] = "Pairs of crystals"
        suffixes: ClassVar[tuple[str, ...]] = (".pairs",)

        @classmethod
        def accepts(cls, file: InputFile) -> bool:
            return file.head.startswith(MARK)

        @classmethod
        def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
            crystals = np.loadtxt(file.stream(), dtype=np.int32, ndmin=2)
            ring = scanner or str(file.path.with_name("ring.toml"))
            return ListMode(read_scanner(ring), crystals)
'''

RAW = '''
    """Bare float32 values, with their shape in a line before them."""

    from __future__ import annotations

    import json
    from pathlib import Path
    from typing import Any, ClassVar

    import numpy as np

    from engine.data.volume import Volume
    from engine.io.safety.atomic_write import write_atomically
    from engine.io.base import VolumeWriter


    class BareValues(VolumeWriter):
        """Bare values."""

        name: ClassVar[str] = "Bare values"
        suffixes: ClassVar[tuple[str, ...]] = (".f32",)
        detail: ClassVar[str] = "for scripts"

        @classmethod
        def write(cls, volume: Volume, path: Path, provenance: dict[str, Any]) -> None:
            head = json.dumps({"shape": volume.values.shape, "unit": volume.unit}).encode()
            write_atomically(head + b"\\n" + np.asarray(volume.values, "<f4").tobytes(), path)
'''

EXACT = ["--set", "reproducible=true", "--set", "algorithm.iterations=1"]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """Return one copy for both formats. They share no file."""
    made = tiny_trial(tmp_path_factory.mktemp("formats"))
    made.add_file("engine/io/pairs.py", EVENTS)
    made.register_format("LISTMODE", "engine.io.pairs.PairsOfCrystals")
    made.add_file("engine/io/bare.py", RAW)
    made.register_format("WRITER", "engine.io.bare.BareValues")
    return made


@pytest.fixture(scope="module")
def results(trial: Trial, pet_scan: list[str], ct_scan: list[str]) -> dict[str, Any]:
    """Return the results of the program after it has read and written all files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(trial.work)
        assert main(pet_scan) == 0
    scan = read_listmode(trial.work / "scan.h5")
    lines = "\n".join(f"{one} {two}" for one, two in scan.crystals)
    (trial.work / "scan.pairs").write_text(f"# pairs of crystals\n{lines}\n", encoding="utf-8")
    answers: dict[str, Any] = trial.run(
        ["inspect", "scan.pairs"],
        ["reconstruct", "scan.h5", "-o", "known.h5", *EXACT],
        ["reconstruct", "scan.pairs", "-o", "foreign.h5", *EXACT],
        [word.replace("scan.h5", "x-rays.h5") for word in ct_scan],
        ["reconstruct", "x-rays.h5", "-o", "image.h5"],
        ["reconstruct", "x-rays.h5", "-o", "image.f32"],
        ["export", "image.h5", "exported.f32"],
        ask={"dialogs": {"volume": "image.h5"}},
    )
    return answers


def test_reader_is_added_with_one_file_and_one_name(trial: Trial, results: dict[str, Any]) -> None:
    scan = read_listmode(trial.work / "scan.h5")
    known, foreign = (read_volume(trial.work / f"{name}.h5") for name in ("known", "foreign"))
    assert known.values.max() > 0
    np.testing.assert_array_equal(foreign.values, known.values)
    assert f"{scan.n_prompts:,} prompts" in results["printed"][0]
    assert "*.pairs" in results["dialogs"]["filters"]["data"]


def test_writer_is_added_with_one_file_and_one_name(trial: Trial, results: dict[str, Any]) -> None:
    volume = read_volume(trial.work / "image.h5")
    for name in ("image.f32", "exported.f32"):
        head, _, values = (trial.work / name).read_bytes().partition(b"\n")
        assert json.loads(head) == {"shape": list(volume.values.shape), "unit": "1/mm"}
        found = np.frombuffer(values, "<f4").reshape(volume.values.shape)
        np.testing.assert_array_equal(found, volume.values)
    assert "Bare values (.f32): For scripts" in results["dialogs"]["formats"]
    assert results["dialogs"]["targets"][-1] == "image.f32"
    words, targets = (results["dialogs"][key] for key in ("formats", "targets"))
    refused = [each for each, target in zip(words, targets, strict=True) if not target]
    assert [each.partition(":")[0] for each in refused] == ["BIDS dataset (.bids)"], "no PET"
