"""A study: scan, scanner and auxiliary files, with a protocol."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from pydantic import (
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from engine.core.errors import DataError, EngineError
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting, to_toml
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import label_of

SHOWN = 8
"""Digits of a fingerprint in a message."""


class StudyValues(Settings):
    """Values of a study. `engine.modalities.studies.Study` also finds a protocol by its name.

    `inputs` contains the auxiliary files by the key of their role. Such a key may also be next to
    `data`, as in `attenuation = "mu.nii.gz"`. The modality of the scan defines the valid keys.

    `fingerprints` tells whether another scan, perhaps of another patient, has taken the place of
    the one that the settings are for. A run refuses it. Studies written by hand need none.
    """

    data: Path = setting(..., "Scan file or header file", label="Scan")
    scanner: str | None = setting(
        None,
        "Scanner name, scanner file or crystal map; if empty, the scanner recorded in the scan",
        label="Scanner",
    )
    identified: bool = setting(
        False,
        "Store the names of files and folders in the results",
        label="Identified",
    )
    complete_events: bool = setting(
        False,
        "Use a truncated list-mode file up to its last complete event",
        label="Use truncated files",
    )
    inputs: dict[str, Path] = setting(
        {}, "Auxiliary files, for example the μ-map, listed by role", label="Inputs"
    )
    fingerprints: dict[str, str] = setting(
        {},
        "Fingerprints of the scan and its files when the study was made, by role",
        label="Fingerprints",
    )
    protocol: SerializeAsAny[Protocol]

    @model_validator(mode="before")
    @classmethod
    def _gather_inputs(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        # Any unknown key with a path can be a role: the modality that defines them is not known
        # here.
        optional = {
            key: value
            for key, value in values.items()
            if key not in cls.model_fields and isinstance(value, str | Path | None)
        }
        rest = {key: value for key, value in values.items() if key not in optional}
        # None means that a file was removed, for example by the window.
        given = {key: value for key, value in optional.items() if value is not None}
        if given and isinstance(rest.get("inputs", {}), dict):
            rest["inputs"] = {**rest.get("inputs", {}), **given}
        return rest

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> Plain:
        """Leave out missing fingerprints, as in the files of earlier versions."""
        values: Plain = handler(self)
        if not values.get("fingerprints", True):
            del values["fingerprints"]
        return values

    @property
    def title(self) -> str:
        """Scan and protocol, in a line."""
        return f"{self.data.name}, {self.protocol_label}"

    @property
    def protocol_label(self) -> str:
        """Name of the protocol, with a mark if its content is not the saved one."""
        return label_of(self.protocol)

    @property
    def files(self) -> dict[str, Path]:
        """Every file that the study names, by its role.

        A scanner that is given by name is not a file.
        """
        from engine.io.folder import is_file

        scanner = Path(self.scanner) if self.scanner else None
        named = {} if self.in_memory else {"data": self.data}
        # A built-in scanner and a scanner file share one setting; only the disk tells them apart.
        if scanner is not None and is_file(scanner):
            named["scanner"] = scanner
        return named | self.inputs

    @property
    def in_memory(self) -> dict[str, Plain]:
        """Size and digest of the contents that come from no file, by their role."""
        return {}

    def with_inputs(self, inputs: Mapping[str, Path]) -> Self:
        """Return the study with added or replaced auxiliary files.

        Parameters
        ----------
        inputs
            path of each file by the key of its role; the fingerprints of replaced files are dropped
        """
        whole = {**self.inputs, **inputs}
        known = {
            role: digest
            for role, digest in self.fingerprints.items()
            if role not in whole or whole[role] == self.inputs.get(role)
        }
        return self.model_copy(update={"inputs": whole, "fingerprints": known})

    def of_files(self) -> Self:
        """Return the study with files in place of folders of its scan and of its inputs.

        Digests, checkpoints and provenance refer to files, so they are the same for both.
        """
        from engine.io import scan_file

        inputs = {role: scan_file(path) for role, path in self.inputs.items()}
        data = self.data if self.in_memory else scan_file(self.data)
        return self.model_copy(update={"data": data, "inputs": inputs})

    def with_absolute_paths(self) -> Self:
        """Return the study with absolute paths, and with files in place of folders."""
        from engine.io.folder import is_file

        files = self.of_files()
        inputs = {role: path.expanduser().absolute() for role, path in files.inputs.items()}
        values: Plain = {"data": files.data.expanduser().absolute(), "inputs": inputs}
        if self.scanner is not None and is_file(Path(self.scanner)):
            values["scanner"] = str(Path(self.scanner).absolute())
        return self.model_copy(update=values)


class StudyInMemory(StudyValues):
    """A study whose scan is a value of this process. Its `data` is only a name for messages."""

    data: Path = setting(Path("scan in memory"), "Name of the scan in messages", label="Scan")
    content: Plain = setting({}, "Size and SHA-256 of the scan", label="Content")

    @property
    def in_memory(self) -> dict[str, Plain]:
        return {"data": {"name": self.data.name, **self.content}}


def write_study(study: StudyValues, path: Path, *, private: bool = False) -> None:
    """Write a study file that `engine.modalities.read_study` can read.

    Parameters
    ----------
    study
        study to write
    path
        file to write
    private
        True to make the file readable by its owner only
    """
    from engine.io.safety.atomic_write import write_atomically

    write_atomically(to_toml(study).encode(), path, private=private)


def refuse_changed_files(study: StudyValues, now: Mapping[str, str] | None = None) -> None:
    """Refuse a study if a file is not the one that its settings are for.

    Parameters
    ----------
    study
        study; files without a fingerprint are not checked
    now
        result of `fingerprints_now`; None to compute the fingerprints

    Raises
    ------
    DataError
        names the file, its fingerprint and the expected one
    EngineError
        if a file with a fingerprint cannot be read
    """
    if not study.fingerprints or study.in_memory:
        return
    from engine.io import fingerprint_of, lacks_linked_files, scan_file

    for role, expected in study.fingerprints.items():
        path = study.files.get(role)
        if path is None:
            continue
        found = (now or {}).get(role) or fingerprint_of(scan_file(path))
        if found != expected:
            if lacks_linked_files(scan_file(path), expected):
                raise DataError(
                    f"{path.name}: an earlier version of Isocenter saved the study. It did not "
                    "notice that other files contain values of this scan, so these values may be "
                    "of another patient by now. Check the patient, and set up the study again."
                )
            raise DataError(
                f"{path.name}: this is not the file that the study was set up for (fingerprint "
                f"{found[:SHOWN]}, expected {expected[:SHOWN]}), and it may belong to another "
                "patient. Restore that file, or set up the study again."
            )


def fingerprints_now(study: StudyValues, roles: Collection[str] | None = None) -> dict[str, str]:
    """Return the fingerprints of the files of a study as they are now, by role.

    Parameters
    ----------
    study
        study; a file that cannot be read is left out, because reading it reports the fault
    roles
        roles of the files; None for all
    """
    if study.in_memory:
        return {}
    from engine.io import fingerprint_of, scan_file

    found: dict[str, str] = {}
    for role, path in study.files.items():
        if roles is not None and role not in roles:
            continue
        with suppress(EngineError):
            found[role] = fingerprint_of(scan_file(path))
    return found


def changed_roles(study: StudyValues, known: Mapping[str, str]) -> set[str]:
    """Return the roles of the files that were replaced, changed or removed.

    Parameters
    ----------
    study
        study with its files
    known
        fingerprints of the files that were read, by role; other files are not compared
    """
    if study.in_memory or not known:
        return set()
    now = fingerprints_now(study, known)
    return {role for role, digest in known.items() if now.get(role) != digest}
