"""The header of a sinogram that its bins, or their folder, stand for."""

from __future__ import annotations

from pathlib import Path

from engine.io.folder import entries, is_file, is_folder
from engine.io.interfile import read_header
from engine.io.open_input import open_input
from engine.io.sinogram_interfile import BINS, SUFFIX, InterfileSinogram


def header_for(path: Path) -> Path | None:
    """Return the header that bins, or a folder of one sinogram, stand for; None of all else."""
    if is_folder(path):
        found = [each for each in entries(path) if each.suffix.lower() == SUFFIX]
        return found[0] if len(found) == 1 else None
    header = path.with_suffix(SUFFIX)
    if path.suffix.lower() != BINS or not is_file(header):
        return None
    with open_input(header) as file:
        names_it = InterfileSinogram.accepts(file) and read_header(file).data_file == path
    return header if names_it else None
