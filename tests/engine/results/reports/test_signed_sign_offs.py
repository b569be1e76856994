"""Tests that forged sign-offs and results of `tests.forgeries` do not pass as signed."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.errors import EngineError
from engine.core.paths import HOME_VARIABLE
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.dicom.order import ORDER, ImagingOrder
from engine.io.safety.audit_lines import newest_file
from engine.io.safety.audit_log import log_file, verify
from engine.io.safety.file_signature import signature_file
from engine.io.safety.signing_key import signing_key
from engine.jobs.study_index.collecting import known_studies
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Result, Results
from engine.results.reports.signature import (
    FILE,
    Signature,
    refuse_changed_record,
    sign,
    signature_warnings,
    signatures_of,
)
from engine.results.reports.site import Site
from engine.results.result import FILES, RECORD
from engine.results.result_record import ResultRecord
from tests.forgeries import SIGN_OFF, SIGN_OFF_TWO_STEPS

GRID = ImageGrid((4, 4, 4), (2.0, 2.0, 2.0))
Values = dict[str, Any]


def stored(tmp_path: Path, value: float = 1.0) -> Result:
    """Store a small result."""
    values = np.full(GRID.shape, value, np.float32)
    study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol(name="Brain"))
    return Results().keep(NewResult(study, Volume(values, GRID, "Bq/mL", {}), {}))


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Return a result that two people signed off."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    new_result = stored(tmp_path)
    sign(new_result, "A. Physicist", "not acceptable", "Motion.")
    sign(new_result, "B. Physicist", "acceptable")
    return new_result


def noticed(id: str) -> str:
    """Return all errors and warnings of a report of a result."""
    try:
        result = Results().open(id)
        refuse_changed_record(result)
        result.refuse_changed_files()
        return " ".join(signature_warnings(result, signatures_of(result)))
    except EngineError as e:
        return str(e)


def values_of(result: Result) -> list[Values]:
    return list(json.loads((result.folder / FILE).read_text())["signatures"])


def rewrite(result: Result, signatures: list[Values]) -> None:
    """Write sign-offs in the program's format."""
    text = json.dumps({"signatures": signatures}, sort_keys=True, indent=2, ensure_ascii=False)
    (result.folder / FILE).write_text(text)


def resealed(values: Values, **changes: object) -> Values:
    """Change values and compute their digest again."""
    return Signature.model_validate(values | changes).sealed().to_json()


def without_key(values: Values) -> Values:
    """Return a sign-off in the format of versions without keys."""
    new = ("listed", "missing", "before", "log_line", "log_sha256", "key", "signature")
    return resealed({name: value for name, value in values.items() if name not in new})


def by_other_key(result: Result, values: Values) -> Values:
    """Return a sign-off with a valid signature by a forger's key."""
    home = log_file().parent.parent
    (home / "key").rename(home / "real")
    signature = Signature.model_validate(values | {"who": "Dr. Forged"}).with_key(signing_key())
    (home / "key").rename(home / "forger")
    (home / "real").rename(home / "key")
    return signature.to_json()


def test_valid_sign_offs_are_shown_without_a_warning(result: Result) -> None:
    first, last = signatures_of(result)
    assert noticed(result.id) == "" and last.before == sha256(first.sha256.encode()).hexdigest()
    assert first.has_valid_key and first.key == signing_key().public
    assert result.signed.state == "valid" and result.signed.owner == "user"
    lines = [json.loads(line)["facts"] for line in log_file().read_bytes().splitlines()]
    digests = [facts["digest"] for facts in lines if "digest" in facts]
    assert digests == [first.sha256, last.sha256]
    assert verify(log_file()) == len(lines)


def test_signer_is_the_login_unless_the_site_lists_the_name(result: Result, tmp_path: Path) -> None:
    first, _ = signatures_of(result)
    assert first.origin == f", login {first.login}" and first.login in first.describe()
    Site(people=("C. Physicist",)).write(tmp_path / "home")
    assert sign(result, "C. Physicist", "acceptable").origin == ""


@pytest.mark.parametrize("name", SIGN_OFF)
def test_no_forged_sign_off_passes(result: Result, name: str, tmp_path: Path) -> None:
    first, last = values_of(result)
    changes: dict[str, dict[str, object]] = {
        "name": {"who": "Dr. Forged"},
        "judgement": {"judgement": "acceptable"},
        "remark": {"remark": "No motion."},
        "time": {"when_utc": "2026-01-01T00:00:00Z"},
        "login": {"login": "other"},
    }
    if name in changes:
        rewrite(result, [resealed(first, **changes[name]), last])
    elif name == "moved":
        other = stored(tmp_path, 2.0)
        sign(other, "A. Physicist", "acceptable")
        rewrite(result, values_of(other))
    elif name == "removed":
        (result.folder / FILE).unlink()
    elif name == "blanks":
        path = result.folder / FILE
        path.write_text(path.read_text().replace(": ", ":  ", 1))
    else:
        lists = {
            "last removed": lambda: [first],
            "first removed": lambda: [last],
            "exchanged": lambda: [last, first],
            "doubled": lambda: [first, first, last],
            "without key": lambda: [without_key(first | {"who": "Dr. Forged"})],
            "other key": lambda: [by_other_key(result, first), last],
        }
        rewrite(result, lists[name]())
    messages = noticed(result.id)
    assert "signature" in messages or "changed" in messages, messages


def drop_log_lines(word: bytes) -> None:
    lines = log_file().read_bytes().splitlines(keepends=True)
    log_file().write_bytes(b"".join(line for line in lines if word not in line))


def change_record(result: Result) -> ResultRecord:
    """Change the record of a result, with a correct digest; return it."""
    record = result.record.model_copy(update={"title": "Another"}).sealed()
    (result.folder / RECORD).write_text(record.to_text())
    return record


def forget_key(result: Result) -> None:
    """Write the record in the format of versions without keys."""
    values = result.record.model_dump(exclude_unset=True, exclude={"key"})
    record = ResultRecord.model_validate(values).sealed()
    (result.folder / RECORD).write_text(record.to_text())
    signatures = [each | {"result_sha256": record.sha256} for each in values_of(result)]
    rewrite(result, [resealed(each) for each in signatures])


@pytest.mark.parametrize("name", SIGN_OFF_TWO_STEPS)
def test_no_forgery_in_two_steps_passes(result: Result, name: str) -> None:
    first, last = values_of(result)
    if name == "without key, result too":
        rewrite(result, [without_key(first | {"who": "Dr. Forged"})])
        signature_file(result.folder / RECORD).unlink()
    elif name == "removed, log line removed":
        (result.folder / FILE).unlink()
        drop_log_lines(b"signed off")
    elif name == "name, log changed":
        forged = resealed(first, who="Dr. Forged")
        rewrite(result, [forged, last])
        text = log_file().read_bytes()
        log_file().write_bytes(text.replace(first["sha256"].encode(), forged["sha256"].encode()))
    elif name == "image, record":
        image = result.folder / FILES[1]
        image.write_bytes(image.read_bytes()[::-1])
        digests = result.record.digests | {FILES[1]: sha256(image.read_bytes()).hexdigest()}
        record = result.record.model_copy(update={"digests": digests}).sealed()
        (result.folder / RECORD).write_text(record.to_text())
        (result.folder / FILE).unlink()
    elif name == "record, result signature removed":
        change_record(result)
        signature_file(result.folder / RECORD).unlink()
        (result.folder / FILE).unlink()
    else:
        record = change_record(result)
        rewrite(result, [resealed(first, result_sha256=record.sha256)])
    assert noticed(result.id)


def test_missing_sign_off_is_reported_before_and_after_another_signature(
    result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (result.folder / FILE).unlink()
    (study,) = known_studies()
    assert "2 earlier signature(s)" in study.note
    assert main(["report", result.id, "-o", str(tmp_path / "a.html")]) == DONE
    assert "2 earlier signature(s)" in capsys.readouterr().err
    assert "2 earlier signature(s)" in (tmp_path / "a.html").read_text()
    signature = sign(result, "B. Physicist", "acceptable")
    assert signature.missing == 2 and signatures_of(result) == (signature,)
    assert "2 earlier signature(s)" in noticed(result.id)


def test_sign_off_without_key_is_shown_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "old"))
    stored_result = stored(tmp_path)
    sign(stored_result, "A. Physicist", "acceptable")
    rewrite(stored_result, [without_key(values_of(stored_result)[0])])
    signature_file(stored_result.folder / RECORD).unlink()
    forget_key(stored_result)
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    Results().folder.mkdir(parents=True)
    stored_result.folder.rename(Results().folder / stored_result.id)
    old = Results().open(stored_result.id)
    (signature,) = signatures_of(old)
    assert not signature.key and signature.describe().endswith(", without key")
    sign(old, "B. Physicist", "acceptable")
    assert [bool(each.key) for each in signatures_of(old)] == [False, True]
    assert noticed(old.id) == ""
    rewrite(old, [without_key(values_of(old)[0] | {"who": "C"}), values_of(old)[1]])
    assert "changed or removed" in noticed(old.id)


def test_rolled_back_log_is_detected_by_a_later_signature(result: Result) -> None:
    log, newest = log_file().read_bytes(), newest_file(log_file()).read_bytes()
    sign(result, "C. Physicist", "acceptable")
    sign(result, "D. Physicist", "acceptable")
    log_file().write_bytes(log)
    newest_file(log_file()).write_bytes(newest)
    assert verify(log_file()) > 0, "a rollback leaves no trace in the log itself"
    assert "older than a signature" in noticed(result.id)


def changed_bytes(result: Result, n: int, seed: int) -> None:
    """Change a byte of a file `n` times; verification must detect each."""
    rng = np.random.default_rng(seed)
    names = (FILE, RECORD, signature_file(Path(RECORD)).name, *FILES)
    for name in rng.choice(names, n):
        path = result.folder / str(name)
        original = path.read_bytes()
        data = bytearray(original)
        data[rng.integers(len(data))] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        assert noticed(result.id), name
        path.write_bytes(original)
    assert noticed(result.id) == ""


def test_any_changed_byte_is_detected(result: Result) -> None:
    changed_bytes(result, 40, 1)


@pytest.mark.slow
def test_any_of_many_changed_bytes_is_detected(result: Result) -> None:
    changed_bytes(result, 3000, 2)


class TestPatient:
    """A sign-off names the patient of the worklist order by a digest."""

    ONE = ImagingOrder(patient_name="Doe^Jane", patient_id="4711")
    OTHER = ImagingOrder(patient_name="Doe^John", patient_id="4712")

    @pytest.fixture
    def of_patient(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
        """Return a signed result of a patient."""
        monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
        result = stored(tmp_path)
        result.assign_order(self.ONE)
        sign(result, "A. Physicist", "acceptable")
        return result

    def test_order_of_the_same_patient_is_accepted(self, of_patient: Result) -> None:
        assert noticed(of_patient.id) == ""
        again = self.ONE.model_copy(update={"accession": "A2"})
        of_patient.assign_order(again)
        assert noticed(of_patient.id) == ""

    def test_signature_contains_no_patient_id(self, of_patient: Result) -> None:
        assert "4711" not in (of_patient.folder / FILE).read_text()

    def test_order_of_another_patient_is_refused(self, of_patient: Result) -> None:
        (of_patient.folder / ORDER).unlink()
        Results().open(of_patient.id).assign_order(self.OTHER)
        assert "names another patient" in noticed(of_patient.id)

    def test_missing_order_is_refused(self, of_patient: Result) -> None:
        (of_patient.folder / ORDER).unlink()
        assert "order of this result is missing" in noticed(of_patient.id)
        with pytest.raises(EngineError, match="missing"):
            sign(Results().open(of_patient.id), "B. Physicist", "acceptable")

    def test_patient_assigned_later_is_stated_until_it_is_signed(self, result: Result) -> None:
        result.assign_order(self.ONE)
        assert "The patient was assigned after a signature" in noticed(result.id)
        sign(result, "A. Physicist", "acceptable")
        assert noticed(result.id) == ""
