"""Tests of the export dialog: checks before writing, file names, units, formats."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QRadioButton, QWidget

from app.output.export.export_dialog import ExportDialog
from app.output.export.writing import export_folder, export_name, obstacle
from app.state.models.preferences import Preferences
from app.state.models.run_images import StoredImage
from app.state.models.run_record import RunRecord
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import WRITERS

GRID = ImageGrid((10, 10, 10), (1.0, 1.0, 1.0))
N_BYTES = 4000


@pytest.fixture
def volume() -> Volume:
    return Volume(np.zeros(GRID.shape, np.float32), GRID, "counts/mm")


@pytest.fixture
def leave_free(monkeypatch, tmp_path):
    """Set the number of free bytes on the disk."""

    def left(n_bytes: int) -> None:
        usage = shutil.disk_usage(tmp_path)._replace(free=n_bytes)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    return left


@pytest.mark.parametrize(("free", "fits"), [(0, False), (N_BYTES, False), (5 * N_BYTES, True)])
def test_image_needs_its_size_plus_a_margin(volume, tmp_path, leave_free, free, fits):
    leave_free(free)
    words = obstacle(tmp_path / "a.nii.gz", volume)
    assert words == "" if fits else "not enough free disk space" in words


def test_frames_need_space_too(volume, tmp_path, leave_free):
    leave_free(5 * N_BYTES)
    assert obstacle(tmp_path / "a.nii.gz", volume, n_frames=2) == ""
    fault = obstacle(tmp_path / "a.nii.gz", volume, n_frames=5)
    assert "needed" in fault and "free" in fault


def test_full_disk_is_reported_in_the_dialog_and_disables_saving(
    qtbot, volume, tmp_path, leave_free
):
    parent = QWidget()
    qtbot.addWidget(parent)
    leave_free(N_BYTES // 2)
    dialog = ExportDialog(parent, [StoredImage("final", volume)], 0, tmp_path)
    assert not dialog.save.isEnabled()
    assert "not enough free disk space" in dialog.save.toolTip()
    leave_free(50 * N_BYTES)
    dialog.path.setText(str(tmp_path / "b.nii.gz"))
    assert dialog.save.isEnabled() and dialog.save.toolTip() == ""


def test_missing_folder_and_folder_as_file_name_are_reported(volume, tmp_path):
    assert "does not exist" in obstacle(Path(tmp_path / "nowhere" / "a.h5"), volume)
    (tmp_path / "b.h5").mkdir()
    assert "this is a folder" in obstacle(tmp_path / "b.h5", volume)


@pytest.mark.parametrize(
    "name", ["n" * 300 + ".h5", "ä" * 128 + ".h5", "~nobody-of-this-name/a.h5", "con.nii.gz"]
)
def test_every_typed_name_gets_a_sentence(qtbot, volume, tmp_path, name):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = ExportDialog(parent, [StoredImage("final", volume)], 0, tmp_path)
    dialog.path.setText(name if name.startswith("~") else str(tmp_path / name))
    assert not dialog.save.isEnabled() and dialog.save.toolTip()


def test_existing_file_is_described(qtbot, volume, tmp_path):
    parent = QWidget()
    qtbot.addWidget(parent)
    (tmp_path / "a.h5").write_bytes(bytes(2048))
    dialog = ExportDialog(parent, [StoredImage("final", volume)], 0, tmp_path)
    dialog.path.setText(str(tmp_path / "a.h5"))
    assert dialog.save.isEnabled() and "2,048 bytes" in dialog._note.text()


def test_offered_name_has_scan_and_protocol_but_no_patient(volume, tmp_path, monkeypatch):
    from engine.modalities.listmode_pet.protocol import ListModeProtocol
    from engine.modalities.studies import Study

    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    scan = tmp_path / "Mustermann.l"
    scan.write_bytes(b"events")
    study = Study(data=scan, protocol=ListModeProtocol(name="Brain"))
    record = RunRecord("a", study, provenance={"ended_utc": "2026-11-22T12:00:00+00:00"})
    record.result = volume
    name = export_name(record, StoredImage("final", volume))
    assert name.startswith("study-") and "_Brain_2026-11-2" in name and "Muster" not in name
    other = Volume(volume.values, GRID, "counts/mm")
    assert export_name(record, StoredImage("iteration 2", other)).endswith("_iteration-2")
    record.study = study.model_copy(update={"identified": True})
    assert export_name(record, StoredImage("final", volume)).startswith("Mustermann_Brain_")
    assert export_name(RunRecord("mu.nii"), StoredImage("mu.nii", volume)).startswith("mu_")


def test_exports_default_to_an_export_folder_until_another_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    assert export_folder("") == export_folder(str(tmp_path / "gone")) == tmp_path / "home/exports"
    assert export_folder(str(tmp_path)) == tmp_path
    assert export_folder(str(tmp_path / ("x" * 300))) == tmp_path / "home/exports"


def test_activity_image_is_offered_as_suv_if_all_facts_are_known(qapp, qtbot, tmp_path):
    """370 MBq in 70 kg at the start of the scan: SUV is 1 at 5.286 kBq/mL."""
    scan = {
        "injected_bq": 370e6,
        "half_life_s": 6586.2,
        "injected_at": "2026-11-22T10:00:00+01:00",
        "scan_start": "2026-11-22T10:00:00+01:00",
        "weight_kg": 70.0,
        "concentration": {"decay": "start"},
    }
    values = np.full(GRID.shape, 370e6 / 70e3, np.float32)
    volume = Volume(values, GRID, "Bq/mL", {"scan": scan})
    dialog = ExportDialog(None, [StoredImage("final", volume)], 0, tmp_path)
    qtbot.addWidget(dialog)
    assert set(dialog.values.reasons) == {"lbm-james", "lbm-janmahasatian", "bsa"}
    assert "The height is not known" in dialog.values.reasons["bsa"]
    assert dialog.values.converted(volume, {}) == (volume, {})
    dialog.values.setCurrentIndex(dialog.values.findData("bw"))
    converted, provenance = dialog.values.converted(volume, {})
    np.testing.assert_allclose(converted.values, 1, rtol=1e-6)
    assert converted.unit == "g/mL" and provenance["suv"]["weight_kg"] == 70.0


def test_other_images_are_written_unchanged(qapp, qtbot, tmp_path):
    volume = Volume(np.zeros(GRID.shape, np.float32), GRID, "HU")
    dialog = ExportDialog(None, [StoredImage("final", volume)], 0, tmp_path)
    qtbot.addWidget(dialog)
    assert not dialog.values.isVisibleTo(dialog)
    assert dialog.values.converted(volume, None) == (volume, None)


def test_last_used_format_is_offered_again(qtbot, volume, tmp_path):
    """The preferences store it. A format that this version does not know is not offered."""
    parent = QWidget()
    qtbot.addWidget(parent)
    first = ExportDialog(parent, [StoredImage("final", volume)], 0, tmp_path, "a")
    first.use_format([each.suffixes[0] for each in WRITERS].index(".mha"))
    preferences = Preferences(tmp_path / "home")
    preferences.export_suffix = first.suffix
    again = Preferences(tmp_path / "home").export_suffix
    second = ExportDialog(parent, [StoredImage("final", volume)], 0, tmp_path, "a", suffix=again)
    assert second.target == tmp_path / "a.mha" and second.suffix == ".mha"
    unknown = ExportDialog(parent, [StoredImage("final", volume)], 0, tmp_path, "a", suffix=".gone")
    assert unknown.target.name == f"a{WRITERS[0].suffixes[0]}"


def test_one_box_offers_all_formats_and_explains_the_selected_one(qtbot, volume, tmp_path):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = ExportDialog(parent, [StoredImage("final", volume)], 0, tmp_path, "a")
    assert not dialog.findChildren(QRadioButton)
    assert [dialog.format.itemText(i) for i in range(dialog.format.count())] == [
        f"{each.name} ({each.suffixes[0]})" for each in WRITERS
    ]
    for index, writer in enumerate(WRITERS):
        dialog.format.setCurrentIndex(index)
        dialog.format.activated.emit(index)
        assert dialog.target.name == f"a{writer.suffixes[0]}"
        assert dialog.detail.text().lower() == writer.detail.lower()
    # A typed suffix selects its format; the typed name does not change.
    dialog.path.setText(str(tmp_path / "b.mha"))
    assert dialog.suffix == ".mha" and dialog.target.name == "b.mha"
