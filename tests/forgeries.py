"""Forgeries of a log, a sign-off, a result and a report, written before the code that detects them.

The forger can write all files except the key, and knows this program. "Two steps" are two changes
that hide each other. Tests take their cases from here.
"""

from __future__ import annotations

ONE_BYTE = {
    "log": "any byte of any line of the audit log, also its line ends",
    "newest": "any byte of the stored digest of the newest line",
    "sign-offs": "any byte of signatures.json, also blanks",
    "record": "any byte of result.json",
    "files": "any byte of volume.h5, study.toml, provenance.json or thumbnail.png",
    "result signature": "any byte of result.json.sig, also blanks",
    "report": "any byte of an exported report",
    "report signature": "any byte of the .sig file of a report",
}
"""Content with a signature over each single byte."""

LOG = {
    "doubled key": 'another "what" before the true one',
    "doubled facts": 'another "facts" after the true one',
    "escape": "a letter as \\u0061",
    "blanks": "more blanks between key and value",
    "padded": "blanks around the line",
    "crlf": "line ends of Windows",
    "no last line end": "the last line end removed",
    "blank line": "an empty line added",
    "byte order mark": "a byte order mark before the first line",
    "left out": "a line removed from the middle",
    "exchanged": "two lines exchanged",
    "doubled line": "a line twice",
    "appended": "a line added with a digest, but without a key",
    "upper case": "hexadecimal digits of a signature as capital letters",
    "signature of another line": "the signature of one line in another",
    "cut": "the last lines removed",
    "renumbered key": "the public key of a line replaced",
}
"""Single forgeries of the audit log."""

LOG_TWO_STEPS = {
    "cut, newest removed": "last lines removed, and the digest of the newest line",
    "cut, newest rewritten": "last lines removed, and a digest without a key stored",
    "cut, newest renumbered": "last lines removed, and the signed digest with another number",
    "cut, then continued": "last lines removed, then the program itself adds a line",
    "cut, newest removed, continued": "the same, after the digest of the newest line is removed",
    "changed, digest computed": "facts changed, and all digests after them computed again",
    "changed, signed by another key": "all lines signed again with a key of the forger",
    "all lines without key": "all keys removed, and digests computed as older versions did",
    "log removed": "log and newest digest removed, while the key has been used",
}
"""Pairs of changes of the audit log."""

SIGN_OFF = {
    "name": "another name, digest computed again",
    "judgement": "another judgement, digest computed again",
    "remark": "another remark, digest computed again",
    "time": "another time, digest computed again",
    "login": "another login, digest computed again",
    "moved": "the sign-off of another result",
    "removed": "the file of the sign-offs removed",
    "last removed": "the last of two sign-offs removed",
    "first removed": "the first of two sign-offs removed",
    "exchanged": "two sign-offs exchanged",
    "doubled": "one sign-off twice",
    "without key": "key and signature removed, digest computed as older versions did",
    "other key": "signed with a key of the forger",
    "blanks": "blanks in the file",
}
"""Single forgeries of the sign-offs of a result."""

SIGN_OFF_TWO_STEPS = {
    "without key, result too": "sign-off without key, and the signature of the result removed",
    "removed, log line removed": "sign-offs removed, and their line in the log",
    "name, log changed": "another name, and the digest of the log line changed to fit",
    "image, record": "image changed, and its digest in the record computed again",
    "record, result signature removed": "record changed, and the signature of the result removed",
    "record, sign-off moved": "record changed, and the digest in the sign-off changed to fit",
}
"""Pairs of changes around a sign-off."""

REPORT = {
    "changed": "a byte of the report",
    "signature removed": "the .sig file and the signature within removed",
    "signature of another": "the .sig file of another report",
    "other key": "the report signed with a key of the forger",
    "renamed": "the report and its signature under the name of another report",
}
"""Single forgeries of an exported report."""

REPORT_TWO_STEPS = {
    "changed, digest computed": "report changed, and its digest in the .sig file computed again",
    "changed, signature removed": "report changed, and the .sig file removed",
    "log cut, newest restored": "log and newest digest of an earlier day; the report knows better",
}
"""Pairs of changes around an exported report."""

STRIPPED = {
    "signatures": "both signatures removed; the content still states its key",
    "signatures, other computer": "the same, where no log knows the report",
    "signature within": "the signature within removed; the .sig file stays",
    "statement": "the statement of the key removed; both signatures stay",
    "signatures, statement": "both signatures and the statement removed; the log knows the result",
    "signed again": "both signatures made again by another known key, with the old statement",
    "picture": "the .sig file of a DICOM picture removed",
    "picture, statement": "the same, and its private attributes; the log knows the object",
    "document": "the .sig file of a DICOM PDF and the signature of the PDF removed",
}
"""Reports with removed signatures, by the removed part."""

STRIPPED_RESULT = {
    "signature": "result.json.sig removed; the log states its key",
    "signature, other computer": "the same, where no log knows the result; its record states a key",
    "signature, log": "the same after the log and its newest digest were removed",
    "signed again": "the record signed by another known key than the one that it states",
}
"""Results with removed signatures, by the removed part."""

LOG_STATEMENT = {
    "rollback": "log and newest digest of an earlier day; an exported image knows a later line",
    "log removed": "log and newest digest removed",
    "other log": "the log made again by the same key, with other lines",
    "number": "another line number in the statement of an image",
    "digest": "another digest in the statement of an image",
    "key": "another key in the statement of an image",
    "other purpose": "the signature of a log line in the statement of an image",
}
"""Forgeries around an exported DICOM image, which states the newest line of the log."""

UNDETECTABLE = {
    "rollback": "the whole folder of an earlier day, if no later report or digest has left it",
    "login": "everything that somebody does with the login of the user, or as root",
    "key replaced": "all files signed again with a new key, if nobody outside knows the old key",
    "before the key": "changes of files that were never signed with a key",
    "stripped report": "a report without signatures and statement, where no log knows its result",
    "stripped result": "a result without signature and statement, where no log knows it",
    "stripped image": "an exported image without its statement, or with that of an earlier day",
    "time": "the clock of the machine when something was signed",
}
"""Limits that the guide states."""
