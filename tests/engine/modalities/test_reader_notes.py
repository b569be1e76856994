"""Notes of readers in a run: assumptions and losses are warnings, information is not."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from engine.cli.console import Console
from engine.core.backend import cpu
from engine.data.formatting import Information
from engine.data.runs.events import Finished, Level, Noted, Warned, of_note, warnings_among
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import save, write_listmode
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, read_protocol
from engine.simulate import simulate_listmode, uniform_cylinder

INFORMS = Information("The first time tag is 900 ms; times are counted from there.")
ASSUMES = "scan.l: states no unit of length; mm is assumed."
HAND_WRITTEN = """
modality = "pet"
name = "By hand"
version = 4
fit_to_scan = false
algorithm = { kind = "osem", iterations = 1 }
finishing = []
"""
RING = RingSettings(
    name="few lines", n_rings=6, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=6,
    max_ring_difference=5, n_tangential=24, gap_places=(0, 12, 24, 36), voxel_mm=(6, 6, 6),
    fov_mm=(96, 36),
)  # fmt: skip
UNSTATED = ["randoms model", "subsets"]


def test_only_information_is_not_a_warning() -> None:
    assert of_note(INFORMS) == Noted(INFORMS) and of_note(INFORMS).level is Level.NOTE
    assert of_note(ASSUMES) == Warned(ASSUMES)
    assert warnings_among((INFORMS, ASSUMES)) == [ASSUMES]
    again = pickle.loads(pickle.dumps(INFORMS))
    assert of_note(again).level is Level.NOTE, (
        "the level must survive pickling, because another process can read the scan"
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return a small scan, a foreign mu-map in 1/cm, and a hand-written protocol."""
    folder = tmp_path_factory.mktemp("notes")
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    write_listmode(
        simulate_listmode(phantom, RingScanner(RING), n_prompts=5000, seed=7), folder / "scan.h5"
    )
    grid = ImageGrid((4, 8, 8), (8.0, 8.0, 8.0))
    save(Volume(np.full(grid.shape, 0.09, np.float32), grid, "1/cm"), folder / "map.mha")
    (folder / "p.toml").write_text(HAND_WRITTEN)
    protocol = read_protocol(folder / "p.toml")
    return Study(
        data=folder / "scan.h5", inputs={"attenuation": folder / "map.mha"}, protocol=protocol
    )


@pytest.fixture(scope="module")
def events(study: Study) -> list[object]:
    return list(run(study, on=cpu(2)))


def test_notes_of_a_map_are_in_log_and_record(events, capsys) -> None:
    (note,) = [e for e in events if isinstance(e, Noted) and "1/cm" in e.text]
    assert note.text.endswith(".mha: the map was converted from 1/cm to 1/mm.")
    console = Console()
    for event in events:
        console.show(event)
    assert f"  note: {note.text}" in capsys.readouterr().err
    (end,) = [e for e in events if isinstance(e, Finished)]
    assert any("from 1/cm" in text for text in end.run.notes)
    assert not any("1/cm" in each.text for each in end.run.warnings)
    assert end.provenance["notes"] == list(end.run.notes)


def test_automatic_settings_are_in_the_record(study, events) -> None:
    expected = [f"{each} not stated in this protocol: chosen automatically" for each in UNSTATED]
    assert list(study.protocol.saved.unstated) == expected
    (end,) = [e for e in events if isinstance(e, Finished)]
    assert [text for text in end.run.notes if "chosen" in text] == [
        f"By hand: {e}." for e in expected
    ]


def test_protocol_written_by_the_program_states_its_settings(tmp_path: Path) -> None:
    """This also holds if subsets depend on the counts, which is not an omission."""
    from engine.modalities.studies import write_protocol

    write_protocol(ListModeProtocol(name="Mine"), tmp_path / "a.toml")
    assert read_protocol(tmp_path / "a.toml").saved is None
    (tmp_path / "b.toml").write_text(HAND_WRITTEN.replace("iterations", "subsets = 8, iterations"))
    assert len(read_protocol(tmp_path / "b.toml").saved.unstated) == 1
