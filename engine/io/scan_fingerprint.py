"""Fingerprint of a scan, by which files that were made for it recognise it.

It covers the size, the beginning and the end of each file. Headers and events differ there from
scan
to scan, and large scans are not read completely. Names and folders do not count.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from engine.io.folder import entries
from engine.io.safety.open_input import open_input

ENDS_BYTES = 2**20
"""Bytes that are read at the beginning and at the end of a file."""
MOST_FILES = 64
"""Maximum number of files of a folder that are read."""


def scan_digest(path: Path) -> str:
    """Return the fingerprint of a scan.

    Parameters
    ----------
    path
        file or folder of the scan; the files of a folder count in the order of their names

    Returns
    -------
    digest
        64 hexadecimal digits

    Raises
    ------
    EngineError
        if a file cannot be read
    """
    total = sha256()
    files = [path]
    if path.is_dir():
        files = [each for each in entries(path) if each.is_file()]
        # The number of files still detects a missing view beyond the files that are read.
        total.update(f"{len(files)} files".encode())
    for each in files[:MOST_FILES]:
        with open_input(each) as file:
            # The size separates files that agree at both ends, such as a list mode that was cut in
            # the middle.
            total.update(f"{file.size} bytes".encode())
            total.update(file.read(ENDS_BYTES))
            total.update(file.read(ENDS_BYTES, max(file.size - ENDS_BYTES, 0)))
    return total.hexdigest()
