"""Private attributes of Isocenter in DICOM objects, and their reader. PS3.5 7.8.

| tag | VR | content |
|---|---|---|
| (0009,0010) | LO | `ISOCENTER`, the private creator |
| (0009,1001) | LT | newest line of the audit log: number, SHA-256, public key and signature |
| (0009,1002) | LT | of a report: `isocenter-signed`, public key and time of its signature |

They contain no patient data. Programs that do not know them ignore them. Another block than 10 is
possible if a different program has added private attributes of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.io.dicom.headers import damage, without_warnings
from engine.io.dicom.object_reader import read_object
from engine.io.safety.open_input import InputFile

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

GROUP, CREATOR = 0x0009, "ISOCENTER"
AUDIT_LOG, SIGNED, INSTANCE = "IsocenterAuditLog", "IsocenterSigned", "SOPInstanceUID"
ELEMENTS = {AUDIT_LOG: 0x01, SIGNED: 0x02}
"""Keyword in this program -> number in the block."""
LONGEST = 1024


def add_private(dataset: Dataset, keyword: str, value: str) -> None:
    """Add a private attribute to an object.

    Parameters
    ----------
    dataset
        object to change
    keyword
        one of `ELEMENTS`
    value
        text; an empty one adds nothing
    """
    if value:
        block = dataset.private_block(GROUP, CREATOR, create=True)
        block.add_new(ELEMENTS[keyword], "LT", value)


def object_facts(file: InputFile) -> dict[str, str]:
    """Return UID and private attributes of an object; nothing if it cannot be read.

    Parameters
    ----------
    file
        open file

    Returns
    -------
    facts
        text of `INSTANCE` and of each keyword of `ELEMENTS` that the object has
    """
    faults: tuple[type[Exception], ...] = (EngineError, *damage())
    try:
        with without_warnings():
            found = read_object(file, pixels=False)
            return {INSTANCE: str(found.get(INSTANCE, "")), **_values(found)}
    except faults:
        return {}


def without_log(dataset: Dataset) -> Dataset:
    """Remove the line of the audit log, in which two exports of one object can differ.

    Parameters
    ----------
    dataset
        object to change

    Returns
    -------
    dataset
        the same object
    """
    try:
        block = dataset.private_block(GROUP, CREATOR)
    except KeyError:
        return dataset
    if ELEMENTS[AUDIT_LOG] in block:
        del block[ELEMENTS[AUDIT_LOG]]
    if not any(number in block for number in ELEMENTS.values()):
        # An empty block would be a difference, too.
        del dataset[GROUP, block.block_start >> 8]
    return dataset


def _values(found: Dataset) -> dict[str, str]:
    try:
        block = found.private_block(GROUP, CREATOR)
    except KeyError:
        return {}
    # Without an explicit value representation the value is bytes.
    values = ((key, block[number].value) for key, number in ELEMENTS.items() if number in block)
    return {
        key: (value.decode() if isinstance(value, bytes) else str(value)).strip()[:LONGEST]
        for key, value in values
    }
