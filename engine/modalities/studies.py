"""Read, check and find study and protocol files of every modality."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import field_validator

from engine.core.checked import checked
from engine.core.errors import EngineError, SettingsError, UnknownFormatError
from engine.core.settings import parse, to_toml
from engine.io.folder import exists, is_folder
from engine.io.input_files import files_behind
from engine.io.text.toml_file import read_toml
from engine.modalities import MODALITIES
from engine.modalities.base import AnyModality
from engine.modalities.recognise import all_roles, gathered, modality_of_scan, why_no_scan
from engine.modalities.scan_files import ScanFiles
from engine.modalities.study_values import (
    protocol_as,
    refuse_other_hosts,
    shipped_texts,
    with_paths_from,
)
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import as_read
from engine.protocols.study.study import StudyValues, fingerprints_now, write_study

__all__ = [
    "Study",
    "files_of_study",
    "find_protocol",
    "modality_of",
    "parse_protocol",
    "protocol_of_kind",
    "read_protocol",
    "read_study",
    "refuse_foreign_inputs",
    "shipped_protocols",
    "study_at",
    "study_of_json",
    "write_protocol",
    "write_study",
]


class Study(StudyValues):
    """One scan to reconstruct. Paths are absolute, or relative to the study file.

    `inputs` contains the auxiliary files by the key of their role. Such a key may also be next to
    `data`, as in `attenuation = "mu.nii.gz"`. The modality of the scan defines the valid keys. The
    protocol can be given by its name, by its file, or as a table of settings.

    Examples
    --------
    >>> import engine
    >>> study = engine.Study(data="scan.l.hdr", attenuation="mu.nii.gz", protocol="brain-fdg")
    >>> study.inputs["attenuation"].name, study.title
    ('mu.nii.gz', 'scan.l.hdr, Brain FDG')
    """

    if TYPE_CHECKING:  # types that the constructor converts, for type checkers

        def __init__(
            self,
            *,
            data: Path | str,
            protocol: Protocol | str | Mapping[str, Any],
            scanner: str | None = None,
            identified: bool = False,
            complete_events: bool = False,
            inputs: Mapping[str, Path | str] = ...,
            fingerprints: Mapping[str, str] = ...,
            **roles: Path | str | None,
        ) -> None: ...

    @field_validator("protocol", mode="before")
    @classmethod
    def _found(cls, value: Any) -> Any:
        if isinstance(value, str | Path):
            return find_protocol(str(value))
        # The type depends on the modality, which pydantic cannot know.
        return parse_protocol(value, "study") if isinstance(value, dict) else value


def modality_of(protocol: Protocol) -> AnyModality:
    """Return the modality of a protocol.

    Parameters
    ----------
    protocol
        protocol of any modality
    """
    found = MODALITIES.of(protocol.modality)
    if found is None:
        raise LookupError(protocol.modality)
    return found


@checked()
def read_study(path: Path | str, *, is_own: bool = False) -> Study:
    """Read a study file; relative paths start at its folder.

    Without a protocol it uses the default one for its scan.

    Parameters
    ----------
    path
        a TOML file with the key `data`
    is_own
        True if the program wrote the file; then it may name files on other computers

    Returns
    -------
    study
        with paths that start at the folder of the file

    Raises
    ------
    SettingsError
        if the file is not a study, or a key or value is invalid

    Examples
    --------
    >>> import engine
    >>> from pathlib import Path
    >>> _ = Path("study.toml").write_text('data = "scan.h5"')
    >>> engine.read_study("study.toml").protocol.name
    'Standard'
    """
    path = Path(path)
    # Keys of all roles are needed, because the modality is known only after reading.
    found = read_toml(path)
    if not is_own:
        refuse_other_hosts(path.parent, found, path.name)
    values = with_paths_from(path.parent, found, path.name, {role.key for role in all_roles()})
    # Removed from the values, because its type depends on its own content.
    protocol = values.pop("protocol", None)
    if protocol is None:
        values["protocol"] = _standard_for(values.get("data"))
    else:
        values["protocol"] = as_read(parse_protocol(protocol, path.name), protocol)
    return parse(Study, values, where=path.name)


def study_of_kind(path: Path, kind: type[Protocol]) -> Study:
    """Read a study file of a known modality that contains its protocol.

    Parameters
    ----------
    path
        TOML file
    kind
        class of the protocol

    Raises
    ------
    SettingsError
        if the study has no protocol, or a value is invalid
    """
    table = read_toml(path)
    given = table.get("inputs", {})
    roles = set(given) if isinstance(given, dict) else set()
    values = with_paths_from(path.parent, table, path.name, roles)
    protocol = values.get("protocol")
    if not isinstance(protocol, dict):
        raise SettingsError(f"{path.name}: the study has no protocol; add a [protocol] table.")
    values["protocol"] = as_read(protocol_as(kind, protocol, path.name), protocol)
    return parse(Study, values, where=path.name)


def files_of_study(study: StudyValues, *, by_library: bool = True) -> tuple[Path, ...]:
    """Return every file that a reconstruction reads, including files that headers name.

    Parameters
    ----------
    study
        study with its files
    by_library
        False leaves HDF5's library out, as for `engine.io.input_files.links_behind`
    """
    behind = (files_behind(path, by_library=by_library) for path in study.files.values())
    return tuple(file for files in behind for file in files)


def study_of_json(text: str) -> Study:
    """Return the study that `Study.model_dump_json` wrote.

    Parameters
    ----------
    text
        JSON text
    """
    # The type of the protocol depends on its modality, which pydantic cannot know.
    values = json.loads(text)
    values["protocol"] = parse_protocol(values["protocol"], "the study")
    return Study.model_validate(values)


def _standard_for(data: object) -> Protocol:
    """Return the default protocol of a scan; that of the first modality if it cannot be read."""
    found = None
    try:
        # Path("") would be the current folder, and a search of it for scans takes seconds
        if isinstance(data, str) and data:
            found = modality_of_scan(Path(data))
    except EngineError:
        pass  # reported when the scan is opened
    return protocol_of_kind(found)


def protocol_of_kind(modality: AnyModality | None) -> Protocol:
    """Return the protocol that scans of a modality start with in a new installation.

    Parameters
    ----------
    modality
        modality of the scan; None for the first one
    """
    return (modality or MODALITIES[0]).standard()


def refuse_foreign_inputs(study: StudyValues) -> None:
    """Refuse a study with files that its modality cannot use.

    Parameters
    ----------
    study
        study to check

    Raises
    ------
    SettingsError
        if there are such files; the message names them
    """
    # Ignoring them silently would give an image without the correction that the user expects.
    modality = modality_of(study.protocol)
    known = {role.key for role in modality.inputs}
    given = [f"{path.name} ({key})" for key, path in study.inputs.items() if key not in known]
    if study.scanner is not None and not modality.takes_scanner:
        given.insert(0, f"{Path(study.scanner).name} (scanner)")
    if given:
        # One message for all foreign files, instead of one attempt after the other.
        why = f" {modality.absent}" if modality.absent else ""
        raise SettingsError(
            f"{study.data.name}: some inputs are not used in the modality {modality.title!r}. "
            f"Remove them from the study: {', '.join(given)}.{why}"
        )


def parse_protocol(values: Any, where: str) -> Protocol:
    """Return the protocol of a table of settings.

    Parameters
    ----------
    values
        table as read from TOML or JSON; without a modality, it is that of the first one
    where
        name of the file, for messages

    Raises
    ------
    SettingsError
        if it is not a table, the modality is unknown, or a value is invalid
    """
    if not isinstance(values, dict):
        raise SettingsError(f"{where}: the protocol is {values!r}, expected a table of settings.")
    return protocol_as(_modality_named(_key_of(values), where).protocol, values, where)


def standard_of(key: str) -> Protocol:
    """Return the standard protocol of a modality.

    Parameters
    ----------
    key
        key of the modality

    Raises
    ------
    SettingsError
        if there is no such modality
    """
    return protocol_of_kind(_modality_named(key, "settings"))


def _modality_named(key: str, where: str) -> AnyModality:
    found = MODALITIES.of(key)
    if found is None:
        known = ", ".join(repr(each) for each in MODALITIES.keys)
        raise SettingsError(f"{where}: modality is {key!r}, expected one of {known}.")
    return found


def read_protocol(path: Path) -> Protocol:
    """Read and check a protocol file of any modality.

    Parameters
    ----------
    path
        TOML file
    """
    values = read_toml(path)
    return as_read(parse_protocol(values, path.name), values)


def write_protocol(protocol: Protocol, path: Path) -> None:
    """Write a protocol file that `read_protocol` can read; its folder is created if missing.

    Parameters
    ----------
    protocol
        protocol to write
    path
        TOML file
    """
    from engine.core.paths import made
    from engine.io.safety.atomic_write import write_atomically

    made(path.parent)
    write_atomically(to_toml(protocol).encode(), path)


def shipped_protocols(kind: str | None = None) -> dict[str, Protocol]:
    """Return the protocols that come with the program, by the name of their file.

    Parameters
    ----------
    kind
        key of a modality; None for all modalities

    Returns
    -------
    protocols in the order of their own names
    """
    found = {
        name.removesuffix(".toml"): _shipped_protocol(name)
        for name, key in _shipped_kinds().items()
        if kind is None or key == kind
    }
    # Names of files put "Whole body, MAP" before "Whole body".
    return dict(sorted(found.items(), key=lambda item: item[1].name))


@cache  # the files do not change while the program runs
def _shipped_kinds() -> dict[str, str]:
    """Return the modality of each protocol that comes with the program, by file name."""
    tables = {name: tomllib.loads(text) for name, text in shipped_texts().items()}
    return {name: _key_of(values) for name, values in tables.items()}


@cache
def _shipped_protocol(name: str) -> Protocol:
    return parse_protocol(tomllib.loads(shipped_texts()[name]), name)


def _key_of(values: dict[str, Any]) -> str:
    """Return the modality of a table of settings; the first one if it names none."""
    return str(values.get("modality", MODALITIES.keys[0]))


@checked()
def find_protocol(name_or_path: str) -> Protocol:
    """Return a protocol by the name of one that comes with the program, or by its file.

    Parameters
    ----------
    name_or_path
        a name that `isocenter protocols` lists, or a protocol file (.toml)

    Returns
    -------
    protocol
        protocol of its modality

    Raises
    ------
    SettingsError
        if there is no such name, or the file is not a protocol

    Examples
    --------
    >>> import engine
    >>> engine.find_protocol("ct-few-views").algorithm.title
    'FISTA-TV'
    """
    path = Path(name_or_path)
    # The ending decides first, so that a mistyped file name is not taken for a protocol's name.
    if path.suffix == ".toml" or (exists(path) and not is_folder(path)):
        return read_protocol(path)
    known = shipped_protocols()
    if name_or_path not in known:
        near = get_close_matches(name_or_path.lower(), known, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingsError(
            f"{name_or_path!r} is not a known protocol; choose from {', '.join(sorted(known))}, "
            f"or give a protocol file (.toml).{meant}"
        )
    return known[name_or_path]


def study_at(path: Path, on_gathered: Callable[[ScanFiles], None] | None = None) -> Study:
    """Read a study file, or create a study for a scan with the standard protocol of its kind.

    Parameters
    ----------
    path
        file or folder
    on_gathered
        called with the files of a scan that consists of several

    Raises
    ------
    UnknownFormatError
        if it is neither a scan nor a study
    """
    # A folder or header first: it may name its own auxiliary files
    modality, files = gathered(path)
    if modality is not None and files is not None:
        if on_gathered is not None:
            on_gathered(files)
        return Study(
            data=files.data, inputs=dict(files.inputs), protocol=protocol_of_kind(modality)
        )
    modality = modality_of_scan(path)
    # A scan with a text header can end in .toml, too, so a study is tried last
    if modality is not None:
        return Study(data=path, protocol=protocol_of_kind(modality))
    if path.suffix == ".toml":
        return read_study(path)
    raise UnknownFormatError(why_no_scan(path))


def with_fingerprints(study: Study) -> Study:
    """Return a study with the fingerprints of its files that it lacks.

    Parameters
    ----------
    study
        study; a run reports a file that cannot be read

    Returns
    -------
    study
        with a fingerprint of its scan and of each file that belongs to this scan alone
    """
    known = fingerprints_now(study, _unbound_roles(study)) | study.fingerprints
    return study.model_copy(update={"fingerprints": known})


def unbound_files(study: Study) -> tuple[Path, ...]:
    """Return the files of one scan alone that a study names without their fingerprints.

    Parameters
    ----------
    study
        study; nothing shows whether these files are still those that it was made for
    """
    return tuple(study.files[role] for role in sorted(_unbound_roles(study)))


def _unbound_roles(study: Study) -> set[str]:
    of_scanner = {role.key for role in all_roles() if role.of_scanner} | {"scanner"}
    return {role for role in study.files if role not in of_scanner} - {*study.fingerprints}
