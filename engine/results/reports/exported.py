"""Exported reports in the audit log, by which a report without its signatures is recognised.

A line contains digests of the file and of its document before the signature, and the UID of a DICOM
object. It contains no file name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.io.dicom.preamble import is_dicom
from engine.io.dicom.private_block import INSTANCE, SIGNED, object_facts
from engine.io.safety import audit_log
from engine.io.safety.audit_check import check_quickly
from engine.io.safety.file_signature import CheckedSignature, key_or_none
from engine.io.safety.open_input import open_input
from engine.results.reports.signing import stated_key, unsigned_document

WRITTEN = "report written"
RESULT_NAME = re.compile(rb"\d{8}T\d{6}Z-[0-9a-f]{8}")
MAX_BYTES = 1 << 28
MAX_NAMES = 20
"""Names of results in a file that are compared with the log."""


@dataclass(frozen=True)
class ExportedReport:
    """A report as a file.

    Attributes
    ----------
    data : content; empty for a DICOM image that is larger than any report
    digest : SHA-256 of the file
    facts : UID and private attributes of a DICOM object; empty for other files
    """

    data: bytes
    digest: str
    facts: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file that can be a report.

        Parameters
        ----------
        path
            PDF, web page or DICOM file

        Raises
        ------
        EngineError
            if it cannot be read
        """
        with open_input(path) as file:
            facts = object_facts(file) if is_dicom(file.head) else {}
            data = b"" if facts and file.size > MAX_BYTES else bytes(file.read())
            return cls(data, file.sha256(), facts)

    @property
    def key(self) -> str:
        """Public key that the content states; empty for none."""
        return stated_key(self.facts.get(SIGNED, "").encode()) or stated_key(self.data)

    def note(self, result: str) -> None:
        """Record the report in the audit log.

        Parameters
        ----------
        result
            name of the result
        """
        audit_log.record(
            WRITTEN, result=result, sha256=self.digest, document=self._document(),
            instance=self.facts.get(INSTANCE, ""), key=key_or_none(),
        )  # fmt: skip

    def removed_signature(self) -> CheckedSignature | None:
        """Return the state of an unsigned report if the log of this user contains its signature.

        Returns
        -------
        checked
            None if the log does not contain the report, or states that it was not signed
        """
        try:
            log = check_quickly(audit_log.log_file())
        except EngineError:  # a changed log is reported on its own
            return None
        known = [each["facts"] for each in log.about_results if each["what"] == WRITTEN]
        if any(each.get("sha256") == self.digest and not each.get("key") for each in known):
            return None
        mine = next((each for each in known if self._is_same(each)), None)
        if mine is not None:
            text = "was signed, as the audit log states, but its signature was removed"
            return CheckedSignature("removed", text)
        return self._of_signed_result(known)

    def _is_same(self, facts: Plain) -> bool:
        own = {"sha256": self.digest, "document": self._document()}
        own["instance"] = self.facts.get(INSTANCE, "")
        same = any(value and facts.get(name) == value for name, value in own.items())
        return bool(facts.get("key")) and same

    def _of_signed_result(self, known: list[Plain]) -> CheckedSignature | None:
        """Return "removed" if the file names a result with only signed reports in the log."""
        names = {each[0].decode() for each in RESULT_NAME.finditer(self.data)}
        for name in sorted(names)[:MAX_NAMES]:
            of_result = [each for each in known if each.get("result") == name]
            if of_result and all(each.get("key") for each in of_result):
                text = f"names {name}, but all reports of this result in the audit log are signed"
                return CheckedSignature("removed", f"{text}; its signature was removed")
        return None

    def _document(self) -> str:
        document = unsigned_document(self.data)
        return sha256(document).hexdigest() if document else ""
