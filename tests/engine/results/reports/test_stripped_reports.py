"""Tests of reports without signatures, and of images that state a line of the audit log.

The forgeries are those of `tests.forgeries`.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from engine.core.paths import HOME_VARIABLE
from engine.io import save
from engine.io.dicom.private_block import AUDIT_LOG, CREATOR, ELEMENTS, GROUP, object_facts
from engine.io.dicom.private_block import without_log as without
from engine.io.safety.audit_lines import LINE, newest_file
from engine.io.safety.audit_log import latest_line, latest_statement, log_file, record
from engine.io.safety.file_signature import STATED, FileSignature, signature_file
from engine.io.safety.open_input import open_input
from engine.io.safety.signing_key import signing_key
from engine.results import Result
from engine.results.reports.building import report_of
from engine.results.reports.exported import ExportedReport
from engine.results.reports.signing import EMBEDDED, unsigned_document, with_signature
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.verification import Verified, verify_path
from engine.results.reports.writing import write_report
from engine.results.result import RECORD
from tests.engine.results.reports.test_signed_sign_offs import noticed, stored
from tests.forgeries import LOG_STATEMENT, STRIPPED, STRIPPED_RESULT

DICOM_REPORT = "engine.results.reports.dicom_report"
ELSEWHERE = "other computer"
MADE = {
    "ended_utc": "2026-11-28T12:00:00+00:00",
    "scan": {"scan_start": "2026-11-28T11:00:00+00:00"},
}


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use small pages, because these tests do not read them."""
    image = BytesIO()
    Image.new("RGB", (8, 8)).save(image, "png")
    monkeypatch.setattr(f"{DICOM_REPORT}.to_images", lambda report: [image.getvalue()])
    monkeypatch.setattr(
        f"{DICOM_REPORT}.to_pdf", lambda report: f"%PDF-1.4\n({report.signed})\n%%EOF\n".encode()
    )


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Return a result in its own home folder."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return stored(tmp_path)


def exported(folder: Path, result: Result, name: str) -> Path:
    """Write a report with the program's exporter."""
    subject = ReportSubject.read(result, Site())
    write_report(report_of(subject), subject, folder / name)
    return folder / name


def one(path: Path) -> Verified:
    (found,) = verify_path(path)
    return found


def by_known_key(home: Path) -> None:
    """Create a new key of the user; the old one stays in the list of trusted keys."""
    old = signing_key().public
    (home / "key").rename(home / "old")
    signing_key()
    (home / "key" / "trusted-keys.txt").write_text(f"{old} colleague\n")


def without_log(home: Path) -> None:
    """Remove the log, like on a computer that did not write the file."""
    (log_file()).unlink()
    newest_file(log_file()).unlink()
    record("run begun", job="x")


def strip(path: Path, name: str, home: Path) -> None:
    """Remove the parts of a report as in the case `name`."""
    data = path.read_bytes()
    body = data[: EMBEDDED.search(data).start()] if EMBEDDED.search(data) else data
    if name in ("signatures", "signatures, " + ELSEWHERE, "signature within"):
        path.write_bytes(body)
    elif name == "statement":
        path.write_bytes(STATED.sub(b"", data))
    elif name == "signatures, statement":
        path.write_bytes(STATED.sub(b"", body))
    elif name == "signed again":
        by_known_key(home)
        path.write_bytes(with_signature(body, path.suffix, "x"))
        signature = FileSignature.made("report", path.name, path.read_bytes(), "x")
        signature_file(path).write_bytes(signature.to_bytes())
    elif name == "picture, statement":
        path.write_bytes(STATED.sub(lambda found: b" " * len(found[0]), data))
    elif name == "document":
        path.write_bytes(data.replace(b"%isocenter-signature ", b"%" + 20 * b" "))
    if name not in ("signature within", "statement", "signed again"):
        signature_file(path).unlink()
    if name.endswith(ELSEWHERE):
        without_log(home)


@pytest.mark.parametrize("name", STRIPPED)
def test_report_without_signatures_is_recognised(result: Result, tmp_path: Path, name: str) -> None:
    endings = {"picture": "a.capture.dcm", "picture, statement": "a.capture.dcm"}
    path = exported(
        tmp_path, result, endings.get(name, "a.dcm" if name == "document" else "a.html")
    )
    assert one(path).state == "valid"
    strip(path, name, tmp_path / "home")
    again = name in ("signature within", "statement", "signed again")
    assert one(path).state == ("changed" if again else "removed"), one(path).text
    assert "signature was removed" in one(path).text or again


@pytest.mark.slow
def test_pdf_states_its_key(result: Result, tmp_path: Path) -> None:
    path = exported(tmp_path, result, "a.pdf")
    signature_file(path).unlink()
    assert one(path).state == "valid"
    path.write_bytes(unsigned_document(path.read_bytes()))
    without_log(tmp_path / "home")
    assert one(path).state == "removed" and signing_key().public[:16] in one(path).text


def test_web_page_and_audit_log_record_each_exported_report(result: Result, tmp_path: Path) -> None:
    path = exported(tmp_path, result, "a.html")
    assert re.search(r"key [0-9a-f]{16}, \d{4}-\d\d-\d\dT", path.read_text())
    facts = ExportedReport.read(path)
    assert facts.digest.encode() in log_file().read_bytes()
    assert b"a.html" not in log_file().read_bytes(), "the log contains a file name"


def test_unsigned_report_counts_as_without_key(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("engine.io.safety.signing_key._loaded", _no_key)
        path = exported(tmp_path, result, "a.html")
    assert "none (no key)" in path.read_text() and not signature_file(path).exists()
    assert one(path).state == "without key"


def _no_key(path: Path, allowed: int) -> None:
    from engine.core.errors import SettingsError

    raise SettingsError("no key")


@pytest.mark.parametrize("name", STRIPPED_RESULT)
def test_result_without_signature_is_refused(result: Result, tmp_path: Path, name: str) -> None:
    signed = signature_file(result.folder / RECORD)
    if name == "signed again":
        by_known_key(tmp_path / "home")
        data = (result.folder / RECORD).read_bytes()
        signed.write_bytes(FileSignature.made("result", RECORD, data, result.id).to_bytes())
    else:
        signed.unlink()
    if name in ("signature, other computer", "signature, log"):
        without_log(tmp_path / "home")
    assert "backup" in noticed(result.id)
    assert next(iter(verify_path(result.folder))).state == "changed"


def image_of(result: Result, folder: Path) -> Path:
    """Export the image as DICOM; return its first slice."""
    save(result.volume(), folder / "a.dicom", MADE)
    return min((folder / "a.dicom").glob("*.dcm"))


def test_each_dicom_object_states_the_newest_log_line(result: Result, tmp_path: Path) -> None:
    stated = latest_statement()
    slices = sorted(image_of(result, tmp_path).parent.glob("*.dcm"))
    for path in (*slices, exported(tmp_path, result, "a.dcm")):
        with open_input(path) as file:
            number, digest = object_facts(file)[AUDIT_LOG].split()[:2]
        assert int(number) >= int(stated.split()[0]) and len(digest) == 64
    found = list(verify_path(tmp_path / "a.dicom"))
    assert len(found) == 1 and found[0].is_sound and "more" in found[0].name
    assert f"line {stated.split()[0]} of an audit log, which contains it" in found[0].text


def restate(path: Path, change: str) -> None:
    """Change the statement of a DICOM object."""
    from pydicom import dcmread

    dataset = dcmread(path)
    dataset.private_block(GROUP, CREATOR)[ELEMENTS[AUDIT_LOG]].value = change
    dataset.save_as(path)


@pytest.mark.parametrize("name", LOG_STATEMENT)
def test_exported_image_detects_every_log_forgery(
    result: Result, tmp_path: Path, name: str
) -> None:
    files = (log_file(), newest_file(log_file()))
    before = [path.read_bytes() for path in files]
    record("run finished", job="x")
    path = image_of(result, tmp_path)
    number, digest, key, signature = latest_statement().split()
    number = str(int(number) - 1)  # the export added a line
    assert one(path).is_sound
    if name == "rollback":
        for file, content in zip(files, before, strict=True):
            file.write_bytes(content)
    elif name in ("log removed", "other log"):
        for file in files:
            file.unlink()
        for _ in range(9 if name == "other log" else 0):
            record("run begun", job="y")
    else:
        line = signing_key().sign(LINE, f"{number} {digest}".encode())
        changes = {
            "number": f"1 {digest} {key} {signature}",
            "digest": f"{number} {64 * '1'} {key} {signature}",
            "key": f"{number} {digest} {64 * '1'} {signature}",
            "other purpose": f"{number} {digest} {key} {line}",
        }
        restate(path, changes[name])
    assert one(path).state == "changed", one(path).text
    assert "audit log" in one(path).text


def test_image_without_statement_has_no_key(result: Result, tmp_path: Path) -> None:
    path = image_of(result, tmp_path)
    from pydicom import dcmread

    without(dcmread(path)).save_as(path)
    assert latest_line()[0] and one(path).state == "without key"


def test_two_exports_of_an_image_are_copies(result: Result, tmp_path: Path) -> None:
    from engine.io import read_volume

    first = image_of(result, tmp_path)
    record("run begun", job="x")
    save(result.volume(), tmp_path / "b.dicom", MADE)
    second = tmp_path / "b.dicom" / first.name
    assert first.read_bytes() != second.read_bytes()
    for path in sorted((tmp_path / "b.dicom").glob("*.dcm")):
        path.rename(tmp_path / "a.dicom" / f"copy-{path.name}")
    assert read_volume(first).grid.shape == result.volume().grid.shape
