"""Sign a report: in a `.sig` file next to it, and within PDF and web page.

The signature within a file covers all bytes before it. Viewers ignore it: a comment after the end
of a PDF, or after the end of a web page. A DICOM file with a PDF carries the signature of the PDF.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path

from engine.core.errors import EngineError, OutputError
from engine.io.safety.file_signature import (
    MAX_BYTES,
    STATED,
    CheckedSignature,
    FileSignature,
    check_signature,
    signature_file,
    signed_or_none,
)
from engine.io.safety.open_input import read_text
from engine.io.text.json_text import from_json

MARK = b"isocenter-signature "
ENDS = {".pdf": (b"%" + MARK, b"\n"), ".html": (b"\n<!-- " + MARK, b" -->\n")}
"""Bytes before and after the signature within a file, by suffix."""
EMBEDDED = re.compile(rb"(?:%|\n<!-- )isocenter-signature ([A-Za-z0-9+/=]{1,4000})(?: -->)?\n\Z")
SIGNED_PDF = re.compile(rb"%isocenter-signature [A-Za-z0-9+/=]{1,4000}\n")
PDF_END, PAGE_END = b"%%EOF\n", b"</html>"
LONGEST = 5000
"""Bytes at the end of a file in which its signature is searched."""


def with_signature(data: bytes, ending: str, result: str) -> bytes:
    """Return a report with a signature at its end.

    Parameters
    ----------
    data
        content of the report
    ending
        suffix; other formats than PDF and web page are returned unchanged
    result
        name of the result

    Returns
    -------
    bytes
        without a signature if the key cannot be used
    """
    if ending not in ENDS:
        return data
    made = signed_or_none(lambda: FileSignature.made("report", "", data, result))
    if made is None:
        return data
    before, after = ENDS[ending]
    return data + before + b64encode(made.to_bytes()) + after


def files_of_report(data: bytes, path: Path, result: str) -> dict[Path, bytes | memoryview]:
    """Return the files of a report by path: its signature, and last the report.

    Parameters
    ----------
    data
        content of the report
    path
        target
    result
        name of the result

    Raises
    ------
    OutputError
        if the name of the signature is that of a foreign file
    """
    signed = signature_file(path)
    if signed.exists() and not _is_signature(signed):
        raise OutputError(
            f"{signed.name}: this file is not the signature of a report, so it is not replaced; "
            "choose another name for the report."
        )
    made = signed_or_none(lambda: FileSignature.made("report", path.name, data, result))
    if made is None:
        # An old signature next to a new report would look like a forgery.
        signed.unlink(missing_ok=True)
        return {path: data}
    return {signed: made.to_bytes(), path: data}


def check_embedded(data: bytes) -> CheckedSignature:
    """Check the signature within a PDF or web page.

    Parameters
    ----------
    data
        content of the report

    Returns
    -------
    checked
        "without key" if there is no signature at the end
    """
    found = EMBEDDED.search(data[-LONGEST:])
    if found is None:
        if MARK in data:
            return CheckedSignature("changed", "has a damaged signature")
        return CheckedSignature("without key", "has no signature with a key")
    signed = data[: len(data) - len(found[0])]
    try:
        text = b64decode(found[1], validate=True).decode()
    except ValueError:
        return CheckedSignature("changed", "has a damaged signature")
    # The frame must be the one of the format, byte by byte.
    frames = [before + found[1] + after for before, after in ENDS.values()]
    if found[0] not in frames or b64encode(text.encode()) != found[1]:
        return CheckedSignature("changed", "has a damaged signature")
    return check_signature(text, "report", "", sha256(signed).hexdigest())


def stated_key(data: bytes) -> str:
    """Return the public key that a report states in its content; empty if there is none.

    Parameters
    ----------
    data
        content of the report
    """
    found = STATED.search(data)
    return found[1].decode() if found else ""


def unsigned_document(data: bytes) -> bytes:
    """Return the document that the signature within a file covers; empty if there is none.

    Parameters
    ----------
    data
        PDF, web page, or DICOM file with a PDF; with or without a signature
    """
    start, end = data.find(b"%PDF-"), data.rfind(PDF_END)
    if start >= 0 and end > start:
        return data[start : end + len(PDF_END)]
    end = data.rfind(PAGE_END)
    return data[: end + len(PAGE_END)] if end >= 0 else b""


def pdf_within(data: bytes) -> bytes:
    """Return the signed PDF within a DICOM file; empty if there is none."""
    start, marks = data.find(b"%PDF-"), list(SIGNED_PDF.finditer(data))
    return data[start : marks[-1].end()] if start >= 0 and marks else b""


def _is_signature(path: Path) -> bool:
    try:
        FileSignature.model_validate(from_json(read_text(path, MAX_BYTES)))
    except (EngineError, ValueError):
        return False
    return True
