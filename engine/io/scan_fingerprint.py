"""A fingerprint of a scan by which a file that was written for it knows it again.

Size, beginning and end of its file, of a folder those of its files in the order of their names:
events and headers differ there from scan to scan, and scans of many gigabytes are not read whole.
What the file is called, and where it lies, does not count.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from engine.io.folder import entries
from engine.io.safety.open_input import open_input

ENDS_BYTES = 2**20
"""Bytes of the beginning, and of the end of a file."""
MOST_FILES = 64
"""Files of a folder, at most."""


def scan_digest(path: Path) -> str:
    """Return the fingerprint, 64 hexadecimal digits."""
    total = sha256()
    files = [path]
    if path.is_dir():
        files = [each for each in entries(path) if each.is_file()]
        total.update(f"{len(files)} files".encode())
    for each in files[:MOST_FILES]:
        with open_input(each) as file:
            total.update(f"{file.size} bytes".encode())
            total.update(file.read(ENDS_BYTES))
            total.update(file.read(ENDS_BYTES, max(file.size - ENDS_BYTES, 0)))
    return total.hexdigest()
