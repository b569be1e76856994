"""Settings of earlier versions for scans with files that these versions did not notice."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest

from app.state.models.inputs import Inputs
from app.state.models.scanner_inputs import RememberedInputs
from app.state.services.reading import StudyReader
from engine.core.errors import DataError
from engine.io import fingerprint_of
from engine.io.scan_fingerprint import WatchedScan
from engine.jobs import ForeignFiles
from engine.jobs.loader import CallsHere
from engine.modalities.studies import read_study
from tests.engine.io.xray.xray_files import nxtomo_with_links


def linked_by_another_suffix(folder: Path) -> Path:
    """Write an NXtomo file with links to a file that earlier versions did not notice."""
    path = nxtomo_with_links(folder)
    (folder / "raw" / "eye_0001.h5").rename(folder / "raw" / "eye_0001.dat")
    with h5py.File(path, "r+") as file:
        eye = file["entry1/tomo_entry/instrument/eye"]
        for name in ("data", "image_key"):
            del eye[name]
            eye[name] = h5py.ExternalLink("raw/eye_0001.dat", f"/{name}")
    return path


def test_the_reason_is_stated_before_the_scan_is_read(tmp_path: Path) -> None:
    path = linked_by_another_suffix(tmp_path)
    older = WatchedScan(path, by_library=False).fingerprint()
    assert older != fingerprint_of(path)
    reader = StudyReader(ForeignFiles(CallsHere()), RememberedInputs(tmp_path), Inputs(), (), "")
    study = read_study(_study_file(path, older))
    with pytest.raises(
        DataError, match=r"^\S+: an earlier version of Isocenter saved the settings"
    ):
        reader.study(study, may_differ=False)
    ours = study.model_copy(update={"fingerprints": {"data": fingerprint_of(path)}})
    assert reader.study(ours, may_differ=False).changed == ()
    other = study.model_copy(update={"fingerprints": {"data": "0" * 64}})
    with pytest.raises(DataError, match="this is not the file that the settings are for"):
        reader.study(other, may_differ=False)


def _study_file(scan: Path, fingerprint: str) -> Path:
    path = scan.parent / "study.toml"
    path.write_text(f'data = "{scan.name}"\n[fingerprints]\ndata = "{fingerprint}"\n')
    return path
