"""Provenance of a volume: inputs, settings, versions and numbers, enough to repeat it.

Files have pseudonyms and no folders, so that a provenance can be passed on.
"""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from engine.core.arrays import Array, sha256_of
from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.core.plugins import classes_in, plug_ins_of
from engine.data.runs.history import RunHistory
from engine.data.runs.record import RecordedRun
from engine.geometry.grid import ImageGrid
from engine.io.folder import entries, is_file
from engine.io.input_files import (
    images_behind,
    links_behind,
    parts_behind,
    raw_behind,
    readers_behind,
    slices_behind,
)
from engine.io.safety.open_input import open_input
from engine.protocols.privacy.key import ending_of, pseudonym_of
from engine.protocols.privacy.names import Names
from engine.protocols.privacy.records import shareable
from engine.protocols.run_context.assigned import assignments
from engine.protocols.run_context.environment import environment
from engine.protocols.study.stored_protocol import identity_of
from engine.protocols.study.study import StudyValues, changed_roles

FORMAT = "isocenter-provenance-1"
CLAIM = "Research use only. Not for diagnosis or treatment."
MAX_HEADER_BYTES = 1 << 16
SAVED_SCAN = "SCAN"
"""Place of a scan in memory in the command that repeats a run; the user saves it first."""
IMAGES = "images"
"""Role of all images of a scan."""


def build(
    study: StudyValues,
    *,
    run: RecordedRun,
    scanner_fingerprint: Plain,
    facts: Plain,
    history: RunHistory,
    ended_utc: datetime,
    grid: ImageGrid,
    output_sha256: str,
    tuned_kernels: Mapping[str, str] | None = None,
    read: Mapping[str, str] | None = None,
) -> Plain:
    """Return the provenance of a finished volume as JSON values.

    Parameters
    ----------
    study
        study with its files and protocol
    run
        record of the run
    scanner_fingerprint
        complete geometry of the scanner
    facts
        facts of scan, response and sensitivity
    history
        times and convergence of the run
    ended_utc
        end of the run
    grid
        grid of the volume
    output_sha256
        digest of the values
    tuned_kernels
        kernels that ran in a variant other than the default; None if unknown
    read
        fingerprints of the files that were read, by role; None if unknown
    """
    names = Names.of(study)
    # An unidentified study passes on no names, neither in files nor in texts of the scanner.
    record: Plain = {
        "format": FORMAT,
        "claim": CLAIM,
        "environment": environment(),
        "plug_ins": plug_ins_of(
            [*classes_in(study.protocol), *readers_behind(input_files(study).values())]
        ),
        **_of_run(run),
        "tuned_kernels": None if tuned_kernels is None else dict(tuned_kernels),
        "inputs": describe_inputs(study, read),
        "scanner": {
            "sha256": _digest_of(scanner_fingerprint),
            "full": names.values(scanner_fingerprint),
        },
        "scan": facts if study.identified else names.values(shareable(facts)),
        "protocol": study.protocol.model_dump(mode="json"),
        "protocol_identity": identity_of(study.protocol),
        "started_utc": history.started_utc,
        "resumed_utc": history.resumed_utc,
        "ended_utc": ended_utc,
        # Times are UTC; the offset tells a reader the local time of day of the scan.
        "local_utc_offset_minutes": _local_offset_minutes(history.started_utc),
        "timings_s": history.seconds,
        "log_likelihoods": history.log_likelihoods,
        "relative_residuals": history.residuals,
        "penalised": [each._asdict() for each in history.penalised],
        "grid": {
            "shape_zyx": grid.shape,
            "voxel_mm_xyz": grid.voxel_mm,
            "centre_mm_xyz": grid.centre_mm,
        },
        "output": {"sha256": output_sha256, "dtype": "float32", "order": "z, y, x"},
        "replay": replay_command(study),
    }
    return {key: _to_json(value) for key, value in record.items()}


def _of_run(run: RecordedRun) -> Plain:
    """Return the record of a run, and the entries that earlier versions expect outside it."""
    corrections = [each.model_dump(mode="json") for each in run.corrections]
    return {
        "run": run.model_dump(mode="json"),
        "device": run.device,
        "corrections": corrections,
        "warnings": [each.text for each in run.warnings],
        "notes": list(run.notes),
        # At the top level too: versions before the run record read the number there.
        "iterations_done": run.iterations_done,
    }


def with_run(provenance: Plain, run: RecordedRun) -> Plain:
    """Return a provenance with another record of its run.

    Parameters
    ----------
    provenance
        provenance of a volume
    run
        the new record
    """
    return {**provenance, **_to_json(_of_run(run))}


def to_json(provenance: Plain) -> str:
    """Return a provenance as text with sorted keys.

    Parameters
    ----------
    provenance
        provenance of a volume

    Returns
    -------
    to_json
        equal values give equal bytes, so that the text can be compared and signed
    """
    # ensure_ascii=False keeps names in other scripts readable.
    return json.dumps(_to_json(provenance), sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def describe_inputs(study: StudyValues, read: Mapping[str, str] | None = None) -> dict[str, Plain]:
    """Return pseudonym, size and digest of each file of a study, by its role.

    An identified study has the names of its files. All images of a scan share one entry.

    Parameters
    ----------
    study
        study with its files
    read
        fingerprints of the files that were read, by role; None if unknown. A file that has changed
        since, or is missing, has an empty digest and no size: the image is not of the file that
        has this name now
    """
    changed = changed_roles(study, read or {})
    found, unread = _described(study, changed, of_run=read is not None)
    # Again, because a file can be replaced while others are hashed.
    if lost := changed_roles(study, read or {}) | changed | unread:
        found = {role: each for role, each in found.items() if not _is_of(role, lost)}
        files = study.of_files().files
        found |= {role: {"name": _name_of(files[role], role, study), "sha256": ""} for role in lost}
    return found


def unknown_inputs(inputs: Mapping[str, Plain]) -> list[str]:
    """Return the roles of the files that had changed before their digest was computed.

    Parameters
    ----------
    inputs
        result of `describe_inputs`
    """
    return [role for role, file in inputs.items() if not file["sha256"]]


def _is_of(role: str, roles: Collection[str]) -> bool:
    """Return True if a file, or one behind it such as "data, file 2", has one of these roles."""
    return role.partition(",")[0] in roles


def _described(
    study: StudyValues, changed: Collection[str], *, of_run: bool
) -> tuple[dict[str, Plain], set[str]]:
    """Return the descriptions of all files except those of some roles, and the unreadable roles.

    After a run, a file that cannot be read any more must not cost the image.
    """
    found, unread = dict(study.in_memory), set[str]()

    def add(role: str, path: Path, hashed: Callable[[], Plain]) -> None:
        try:
            found[role] = hashed() | {"name": _name_of(path, role, study)}
        except EngineError:
            if not of_run:
                raise
            unread.add(role.partition(",")[0])

    for role, path in input_files(study).items():
        if not _is_of(role, changed):
            add(role, path, partial(hash_file, path))
    # An image that is named by itself has its own entry and is not counted twice.
    alone = {path.absolute() for path in input_files(study).values()}
    # Resolve folders first, so that the roles are those of actual files.
    study = study.of_files()
    for role, named in study.files.items():
        if role in changed:
            continue
        others = (*slices_behind(named), *parts_behind(named))
        behind = images_behind(named) if role == "data" else others
        images = [p for p in behind if p.absolute() not in alone]
        # Thousands of slices would fill the provenance, so they have one combined digest.
        if images:
            # The name of the first image stands for all of them.
            add(f"{role}, {IMAGES}", images[0], partial(_hash_images, images))
    return found, unread


def _name_of(path: Path, role: str, study: StudyValues) -> str:
    """Return the pseudonym of a file; the files of a scan share it, with their own endings."""
    if study.identified:
        return path.name
    if role in study.files:
        return pseudonym_of(path, "study" if role == "data" else role)
    scan = pseudonym_of(study.data)
    return scan.removesuffix(ending_of(scan)) + ending_of(path.name)


def input_files(study: StudyValues) -> dict[str, Path]:
    """Return every file that a study names, and the companions of its header, by role.

    Parameters
    ----------
    study
        study with its files

    Returns
    -------
    input_files
        companions have the roles "data, file 2", "data, file 3", ...
    """
    study = study.of_files()
    if study.in_memory:
        return study.files
    companions = enumerate(_companions(study.data), 2)
    return study.files | {f"data, file {k}": path for k, path in companions}


def _companions(data: Path) -> list[Path]:
    """Return raw files and headers that belong to `data`, by names in headers or by HDF5 links."""
    text = _header_text(data)
    # A folder that cannot be listed only loses its companions; the scan itself was read.
    try:
        neighbours = [p for p in entries(data.parent) if is_file(p) and p.name != data.name]
    except EngineError:
        return []
    # Headers and data refer to each other in either direction, depending on the format.
    headers = (p for p in neighbours if ".hdr" in p.name.lower())
    naming = [p for p in headers if data.name.encode() in _header_text(p)]
    # Both directions, and raw files that a description names, without repetitions.
    named = [p for p in neighbours if p.name.encode() in text]
    return list(dict.fromkeys((*named, *naming, *raw_behind(data), *links_behind(data))))


def _header_text(path: Path) -> bytes:
    """Return the content of a small text file, b"" for any other file."""
    try:
        with open_input(path) as file:
            head = file.read(MAX_HEADER_BYTES + 1)
    except EngineError:
        return b""
    # A zero byte marks a binary file; text headers never contain one.
    return b"" if len(head) > MAX_HEADER_BYTES or b"\0" in head else head


def hash_file(path: Path) -> Plain:
    """Return name, size [bytes], SHA-256 and modification time of a file.

    Parameters
    ----------
    path
        the file; it is read in pieces
    """
    size, modified_ns = _state(path)
    digest = _file_digest(path, size, modified_ns)
    return {
        "name": path.name,
        "bytes": size,
        "sha256": digest,
        "modified": _iso(modified_ns),
    }


def _hash_images(images: Sequence[Path]) -> Plain:
    """Return number and size of images, and one digest of their digests in the order of names."""
    states = tuple((path, *_state(path)) for path in images)
    return {
        "files": len(images),
        "bytes": sum(n_bytes for _, n_bytes, _ in states),
        "sha256": _images_digest(states),
        "modified": _iso(max(modified_ns for *_, modified_ns in states)),
    }


@lru_cache(maxsize=4)  # a job and its provenance ask for the same images
def _images_digest(states: tuple[tuple[Path, int, int], ...]) -> str:
    digests = (_sha256(path) for path, *_ in states)
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _state(path: Path) -> tuple[int, int]:
    """Return size [bytes] and modification time [ns]."""
    with open_input(path) as file:
        return file.size, file.modified_ns


def _iso(modified_ns: int) -> str:
    return datetime.fromtimestamp(modified_ns / 1e9, UTC).isoformat(timespec="seconds")


@lru_cache(maxsize=64)  # a job and its provenance ask for the same file
# Size and time are part of the cache key, so that a changed file is read again.
def _file_digest(path: Path, _size: int, _mtime_ns: int) -> str:
    return _sha256(path)


def _sha256(path: Path) -> str:
    with open_input(path) as file:
        return file.sha256()


def hash_array(values: Array) -> str:
    """Return the SHA-256 of values in memory order [z, y, x], little-endian.

    Parameters
    ----------
    values
        array of any number type

    Returns
    -------
    hash_array
        independent of the machine's byte order and of the strides of the array
    """
    return sha256_of(np.ascontiguousarray(values, values.dtype.newbyteorder("<")))


def replay_command(study: StudyValues) -> str:
    """Return a command line that computes the same volume again.

    Parameters
    ----------
    study
        study with its files and protocol

    Returns
    -------
    replay_command
        to be run in the folder of the files. With pseudonyms, it runs anywhere on the machine with
        their key. A scan in memory is `SCAN`: save it first, and name its file
    """
    # A built-in scanner is given by its name; a scanner file by its pseudonym.
    scanner = study.files.get("scanner")
    data = SAVED_SCAN if study.in_memory else _name_of(study.data, "data", study)
    words = ["isocenter", "reconstruct", data]
    if study.scanner:
        words += ["--scanner", _name_of(scanner, "scanner", study) if scanner else study.scanner]
    for role, path in study.inputs.items():
        words += [f"--{role.replace('_', '-')}", _name_of(path, role, study)]
    if study.complete_events:
        words += ["--use-complete-events"]
    # One scan can have several kinds of protocol, and the command would take the first
    words += ["--set", f"modality={study.protocol.modality}"]
    # Only differences from the defaults, because a full list would exceed a readable command.
    for assignment in assignments(study.protocol):
        words += ["--set", assignment]
    return shlex.join([*words, "-o", "image.nii.gz"])


def _digest_of(value: Any) -> str:
    text = json.dumps(_to_json(value), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _local_offset_minutes(when: datetime) -> int:
    offset = when.astimezone().utcoffset()
    return round(offset.total_seconds() / 60) if offset is not None else 0


def _to_json(value: Any) -> Any:
    """Return JSON values: paths without folders, Python numbers, NaN and infinity as text."""
    if isinstance(value, Mapping):
        return {str(key): _to_json(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _to_json(value.tolist())
    if isinstance(value, str | Path):
        return _bare(str(value))
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds")
    if isinstance(value, float):
        # JSON has no NaN or infinity; as text, every reader can still parse the file.
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Sequence):
        return [_to_json(item) for item in value]
    return value if isinstance(value, bool | int) or value is None else str(value)


def _bare(text: str) -> str:
    """Return a path without its folder, any other text unchanged."""
    # Both path styles are tested, because a study may come from a computer with another system.
    if "\n" in text or not (
        PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()
    ):
        return text
    return PureWindowsPath(text).name or PurePosixPath(text).name
