"""Tests of signed reports: valid ones pass, and no forgery of `tests.forgeries` does."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import EngineError
from engine.core.paths import HOME_VARIABLE
from engine.io.safety.audit_lines import newest_file
from engine.io.safety.audit_log import latest_line, log_file, record
from engine.io.safety.file_signature import (
    FileSignature,
    signature_file,
    statement_of_key,
)
from engine.results import Result
from engine.results.reports.building import report_of
from engine.results.reports.signing import MARK, files_of_report, with_signature
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.verification import Verified, verify_path
from engine.results.reports.writing import write_report
from tests.engine.results.reports.test_signed_sign_offs import stored
from tests.forgeries import REPORT, REPORT_TWO_STEPS

PDF, PAGE = b"%PDF-1.4\n" + 40 * b"content\n" + b"%%EOF\n", b"<html>content</html>"


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Return a result in its own home folder."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return stored(tmp_path)


def written(folder: Path, result: Result, name: str = "a.pdf", data: bytes = PDF) -> Path:
    """Write a small file as a report, like `write_report`."""
    path = folder / name
    signed = with_signature(data, path.suffix, result.id)
    for file, content in files_of_report(signed, path, result.id).items():
        file.write_bytes(content)
    return path


def one(path: Path) -> Verified:
    (found,) = verify_path(path)
    return found


@pytest.mark.parametrize(("name", "data"), [("a.pdf", PDF), ("a.html", PAGE)])
def test_report_contains_its_signature_twice(
    result: Result, tmp_path: Path, name: str, data: bytes
) -> None:
    path = written(tmp_path, result, name, data)
    assert one(path).state == "valid" and MARK in path.read_bytes()
    assert len(path.read_bytes()) - len(data) < 1024, (
        "PDF viewers search %%EOF only in the last 1024 bytes"
    )
    signature_file(path).unlink()
    assert one(path).state == "valid", "the embedded signature is not sufficient"
    path.rename(tmp_path / f"b{path.suffix}")
    assert one(tmp_path / f"b{path.suffix}").state == "valid"
    path.write_bytes(data)
    assert one(path).state == "without key"


def test_every_format_is_signed_and_states_the_audit_log(result: Result, tmp_path: Path) -> None:
    subject = ReportSubject.read(result, Site())
    report, (line, digest) = report_of(subject), latest_line()
    rows = {row.name: row.value for each in report.sections for row in each.rows}
    assert rows["Audit log"] == f"line {line}, SHA-256 {digest}"
    for name in ("a.html", "a.dcm"):
        line, digest = latest_line()
        write_report(report, subject, tmp_path / name)
        assert one(tmp_path / name).state == "valid"
        signature = FileSignature.model_validate_json(signature_file(tmp_path / name).read_text())
        assert (signature.log_line, signature.log_sha256, signature.result) == (
            line,
            digest,
            result.id,
        )
    signature_file(tmp_path / "a.dcm").unlink()
    assert one(tmp_path / "a.dcm").state == "valid"
    assert "header is not signed" in one(tmp_path / "a.dcm").text


def other_key(tmp_path: Path, path: Path, data: bytes) -> None:
    """Sign a report with a forger's key."""
    home = tmp_path / "home"
    (home / "key").rename(home / "real")
    signed = with_signature(data, ".pdf", "x")
    path.write_bytes(signed)
    signature = FileSignature.made("report", path.name, signed, "x")
    signature_file(path).write_bytes(signature.to_bytes())
    (home / "key").rename(home / "forger")
    (home / "real").rename(home / "key")


@pytest.mark.parametrize("name", REPORT)
def test_no_forged_report_passes(result: Result, tmp_path: Path, name: str) -> None:
    path, other = written(tmp_path, result), written(tmp_path, result, "b.pdf", PDF + b"%b\n")
    if name == "changed":
        path.write_bytes(path.read_bytes().replace(b"content", b"contend", 1))
    elif name == "signature removed":
        signature_file(path).unlink()
        path.write_bytes(PDF)
    elif name == "signature of another":
        signature_file(path).write_bytes(signature_file(other).read_bytes())
    elif name == "other key":
        other_key(tmp_path, path, PDF)
    else:
        other.replace(path)
        signature_file(other).replace(signature_file(path))
    expected = {"signature removed": "without key", "other key": "unknown key"}
    assert one(path).state == expected.get(name, "changed")


@pytest.mark.parametrize("name", REPORT_TWO_STEPS)
def test_no_forgery_in_two_steps_passes(result: Result, tmp_path: Path, name: str) -> None:
    log = {path: path.read_bytes() for path in (log_file(), newest_file(log_file()))}
    record("run finished", job="x")
    path = written(tmp_path, result)
    if name == "log cut, newest restored":
        for file, content in log.items():
            file.write_bytes(content)
        assert "restored from an earlier backup" in one(path).text
    else:
        data = path.read_bytes().replace(b"content", b"contend", 1)
        path.write_bytes(data)
        signature = FileSignature.model_validate_json(signature_file(path).read_text())
        forged = signature.model_copy(update={"sha256": sha256(data).hexdigest()})
        signature_file(path).write_bytes(forged.to_bytes())
        if name == "changed, signature removed":
            signature_file(path).unlink()
    assert one(path).state == "changed"


def test_verify_command_accepts_results_reports_logs_and_folders(
    result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, result)
    for name in (result.id, str(result.folder), str(path), str(log_file()), str(tmp_path)):
        assert main(["verify", name]) == DONE, name
    output = capsys.readouterr().out
    assert output.count("valid: ") >= 7 and "all unchanged" in output
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["verify", str(tmp_path)]) == USER_FAULT
    assert "changed: " in capsys.readouterr().out
    path.unlink()
    assert main(["verify", str(tmp_path)]) == USER_FAULT
    assert "is missing" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "none")]) == USER_FAULT
    assert main(["key"]) == DONE
    assert len(capsys.readouterr().out.split()[-1]) == 64


def test_foreign_file_with_the_signature_name_is_not_replaced(
    result: Result, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf.sig").write_text("mine")
    with pytest.raises(EngineError, match="is not replaced"):
        files_of_report(PDF, tmp_path / "a.pdf", result.id)


def changed_bytes(result: Result, folder: Path, n: int, seed: int) -> None:
    """Change a byte of a report or its signature `n` times; verification must detect each."""
    rng = np.random.default_rng(seed)
    stated = PDF.replace(b"%%EOF", f"({statement_of_key()[0]})\n%%EOF".encode())
    report = written(folder, result, "a.pdf", stated)
    within = written(folder, result, "b.pdf", stated)
    signature_file(within).unlink()
    for path in rng.choice([report, signature_file(report), within], n):
        signed = path.read_bytes()
        data = bytearray(signed)
        data[rng.integers(len(data))] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        states = {one(report).state, one(within).state}
        assert states & {"changed", "removed", "unknown key"}
        path.write_bytes(signed)
    assert {one(report).state, one(within).state} == {"valid"}


def test_any_changed_byte_is_detected(result: Result, tmp_path: Path) -> None:
    changed_bytes(result, tmp_path, 40, 1)


@pytest.mark.slow
def test_any_of_many_changed_bytes_is_detected(result: Result, tmp_path: Path) -> None:
    changed_bytes(result, tmp_path, 1500, 2)


def test_damaged_embedded_signature_is_not_valid(result: Result, tmp_path: Path) -> None:
    path = written(tmp_path, result)
    signature_file(path).unlink()
    data = path.read_bytes()
    for forged in (data + b"more\n", data.replace(MARK, MARK + b" ", 1), data[:-1] + b" -->\n"):
        path.write_bytes(forged)
        assert one(path).state != "valid"
    path.write_bytes(PDF + b"%" + MARK + b64encode(b"{}") + b"\n")
    assert one(path).state == "changed"
