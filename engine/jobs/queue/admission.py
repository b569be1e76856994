"""Decide if another study can start with the memory that is free.

A study with an unknown memory estimate runs alone. A GPU runs one study at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core import backend
from engine.jobs.loader.foreign_files import ForeignFiles
from engine.jobs.loader.loader import Loader
from engine.modalities.base import OpenStudy
from engine.modalities.studies import Study, modality_of

SPARE = 1.2
"""Estimates are multiplied by this factor before they are compared with free memory."""


@dataclass(frozen=True)
class RunMemory:
    """Peak memory of one study.

    Attributes
    ----------
    memory_bytes : peak host memory; 0 if unknown
    on_gpu : True if the study runs on a GPU
    """

    memory_bytes: int = 0
    on_gpu: bool = False


def fits_memory(
    wanted: RunMemory, running: Sequence[RunMemory], *, used_bytes: int, free_bytes: int
) -> bool:
    """Return True if one more study fits next to the running ones.

    Parameters
    ----------
    wanted
        estimate of the next study
    running
        estimates of the running studies
    used_bytes
        memory that they use now
    free_bytes
        free memory now
    """
    if not running:
        return True
    if not wanted.memory_bytes or not all(each.memory_bytes for each in running):
        return False
    # Estimates are of host memory: nothing divides the memory of the GPU between two runs
    if wanted.on_gpu and any(each.on_gpu for each in running):
        return False
    claimed = sum(SPARE * each.memory_bytes for each in running)
    to_come = max(0.0, claimed - used_bytes)  # running studies have not reached their peak yet
    return SPARE * wanted.memory_bytes + to_come <= free_bytes


def estimate(study: Study, device: str) -> RunMemory:
    """Read a study's files in a child process, and return the memory that its run requires.

    Parameters
    ----------
    study
        study with paths to its files
    device
        requested device, see `engine.core.backend.choose`

    Returns
    -------
    estimate
        peak memory; unknown if the modality makes no estimate

    Raises
    ------
    EngineError
        if one of the files cannot be used
    """
    on = backend.choose(backend.find_devices(), device)
    # A separate loader: it may crash or hang without an effect on others
    loader = Loader()
    try:
        known = opened(study, ForeignFiles(loader))
    finally:
        loader.close()
    modality = modality_of(study.protocol)
    grid = modality.grid(study.protocol, known)
    found = None if grid is None else modality.requirements(study.protocol, known, grid, on, 1.0)
    return RunMemory() if found is None else RunMemory(found.memory_bytes, on.is_gpu)


def opened(study: Study, files: ForeignFiles) -> OpenStudy:
    """Read everything in a study that an estimate requires.

    Parameters
    ----------
    study
        study with paths to its files
    files
        reader of the files

    Returns
    -------
    known
        the scan, its scanner and the auxiliary files; without scanner no auxiliary files
    """
    scan = files.scan(study.data, study.scanner, complete_events=study.complete_events)
    # The scanner of the study replaces the one in the scan
    scanner = scan.scanner if study.scanner is None else files.scanner(study.scanner)
    contents = {}
    if scanner is not None:
        for role, path in study.inputs.items():
            contents[role] = files.auxiliary(role, path, scanner).content
    return OpenStudy(scan, scanner, contents)


def memory_of_children() -> int:
    """Return the memory of this process's children and their children [bytes]."""
    import psutil

    total = 0
    for child in psutil.Process().children(recursive=True):
        try:
            total += child.memory_info().rss
        except psutil.Error:
            continue
    return int(total)
