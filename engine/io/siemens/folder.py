"""Assign the files of a Siemens folder to a scan: counts, normalisation, maps, sinograms.

Headers are recognised by their content (name space, kind of data, kinds of sinograms), then by
name. Sinograms that Siemens' e7tools write without such a header (`norm3d_00.a`, `acf_00.a`,
`smoothed_rand_00.s`, `scatter_estim2d_000000.s`) are recognised by name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Literal

from engine.core.errors import EngineError, FileFormatError
from engine.io.folder import entries, is_file, is_folder
from engine.io.interfile.header import InterfileHeader, is_interfile, read_header
from engine.io.safety.open_input import open_input
from engine.io.siemens import ENDINGS
from engine.io.siemens.sinogram import PROMPTS, RANDOMS, TRUES, refuse_compressed, types_of

Part = Literal["counts", "normalisation", "attenuation", "randoms", "scatter", "mu-map"]
MAX_INSPECTED = 400
SPACE = "sms-mi header name space"
MAIN, SINOGRAM, NORM, IMAGE = "main header", "sinogram", "norm", "image"
NAMES: dict[Part, re.Pattern[str]] = {
    "scatter": re.compile(r"(?<![a-z])scat(ter)?(?![a-z])", re.IGNORECASE),
    "randoms": re.compile(r"(?<![a-z])(rand(oms?)?|delayeds?)(?![a-z])", re.IGNORECASE),
    "normalisation": re.compile(r"(?<![a-z])norm(3d|ali[sz]ation)?(?![a-z])", re.IGNORECASE),
    "attenuation": re.compile(r"(?<![a-z])(acf|atten(uation)?)(?![a-z])", re.IGNORECASE),
}
"""Words in file names, not next to other letters."""
KINDS: dict[str, Part] = {
    **dict.fromkeys(("normalization", "normalisation"), "normalisation"),
    **dict.fromkeys(("attenuationcorrection", "attenuation correction"), "attenuation"),
}
"""Values of `PET data type` that identify a part."""
BARE = (".a", ".s")
LIST_MODE = ".l.hdr"
DAY, TIME = "study date (yyyy:mm:dd)", "study time (hh:mm:ss gmt+00:00)"
OF_SCAN = ("randoms", "scatter")
"""Parts that belong to one acquisition, to the second; a map belongs to its day."""


@dataclass(frozen=True)
class SiemensFolder:
    """The counts in a folder and the files that belong to them.

    Attributes
    ----------
    counts : header of the counts
    parts : file of each other part
    notes : one sentence for each file that is ambiguous or ignored
    members : part of each file, by name; without counts, with ignored files
    """

    counts: Path
    parts: dict[Part, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    members: dict[str, Part] = field(default_factory=dict)


@dataclass(frozen=True)
class FolderFile:
    """A file of the folder, its purpose, and its header if it has one."""

    path: Path
    part: Part
    header: InterfileHeader | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the file and of its data file."""
        return (self.path.name, *((_data_name(self.header),) if self.header else ()))


def siemens_folder(path: Path) -> SiemensFolder | None:
    """Return the scan to which a Siemens folder, or one of its files, belongs.

    Parameters
    ----------
    path
        the folder, a header, a data file or a main header (.mhdr)

    Returns
    -------
    folder
        None if this is not such a folder. A folder that also contains list mode gives None, because
        it contains two scans. So does a folder with a μ-map if its counts are compressed or
        ambiguous.

    Raises
    ------
    FileFormatError
        if several files contain counts and the path names none of them
    """
    inside = is_folder(path)
    if not inside and not path.name.lower().endswith(ENDINGS):
        return None
    found = list(_known_files(path if inside else path.parent))
    counts = [each for each in found if each.part == "counts"]
    named = None if inside else _named(path, found)
    if not counts or named == set() or (inside and _has_events(path)):
        return None
    # A file that names counts selects them, even if the folder contains several.
    own = [each for each in counts if named is not None and {*each.names} & named]
    meant = own or counts
    if named is not None and _is_map(named, found) and not _is_simple(meant):
        return None
    if len(meant) > 1:
        names = ", ".join(each.path.name for each in meant[:4])
        raise FileFormatError(
            f"{path.name}: this folder contains {len(meant)} sinograms with counts ({names}); open "
            "one of these files instead of the folder."
        )
    return _gathered(meant[0], found)


def _is_map(named: set[str], found: Iterable[FolderFile]) -> bool:
    return all(each.part == "mu-map" for each in found if named & {*each.names})


def _is_simple(counts: list[FolderFile]) -> bool:
    """Return True if the folder contains exactly one readable sinogram of counts."""
    try:
        for each in counts:
            if each.header is not None:
                refuse_compressed(each.header)
    except FileFormatError:
        return False
    return len(counts) == 1


def _has_events(folder: Path) -> bool:
    """Return True if the folder also contains list mode with its data."""
    heads = (each for each in entries(folder) if each.name.lower().endswith(LIST_MODE))
    headers = (header for each in heads if (header := _header(each)) is not None)
    return any(is_file(header.path.with_name(_data_name(header))) for header in headers)


def _named(path: Path, found: Iterable[FolderFile]) -> set[str]:
    """Return the names of the parts for which a file stands: itself, or those that it lists."""
    names = {name for each in found for name in each.names}
    if path.name in names:
        return {path.name}
    # e7tools write `x.h33` next to `x.a` or `x.s`; these headers do not have the Siemens name
    # space.
    if path.suffix.lower() == ".h33":
        return names & {f"{path.stem}{end}" for end in BARE}
    header = _header(path)
    if header is None or MAIN not in (header.text(SPACE) or "").lower():
        return set()
    return names & {*_data_sets(header)}


def _data_sets(header: InterfileHeader) -> Iterator[str]:
    """Yield names of the files that a main header lists, without their folders."""
    for key, value in header.values.items():
        if key.startswith("data set ["):
            for part in value.strip("{} ").split(","):
                # Main headers contain absolute Windows paths of the scanner's computer.
                yield PureWindowsPath(part.strip()).name


def _known_files(folder: Path) -> Iterator[FolderFile]:
    """Yield the files of a folder that have a known purpose."""
    files = [each for each in entries(folder) if each.name.lower().endswith(ENDINGS)]
    described: set[str] = set()
    # Each header is opened, so their number is limited.
    heads = [each for each in files if "hdr" in each.suffix.lower()][:MAX_INSPECTED]
    for each in heads:
        header = _header(each)
        part = _part_of(header) if header is not None else None
        if header is None or part is None:
            continue
        described.add(_data_name(header))
        yield FolderFile(each, part, header)
    for each in files:
        # Data files with a header are parts of that header.
        if each.suffix.lower() in BARE and each.name not in described and is_file(each):
            part = _by_name(each.name)
            if part is not None:
                yield FolderFile(each, part)


def _header(path: Path) -> InterfileHeader | None:
    if "hdr" not in path.suffix.lower():
        return None
    try:
        with open_input(path) as file:
            return read_header(file) if is_interfile(file.head) else None
    except EngineError:
        return None


def _data_name(header: InterfileHeader) -> str:
    return header.text("name of data file") or ""


def _part_of(header: InterfileHeader) -> Part | None:
    """Return the purpose of a header, from its content and then its name."""
    space = (header.text(SPACE) or "").lower()
    name = header.path.name
    if MAIN in space:
        return None
    if NORM in space:
        return "normalisation"
    if IMAGE in space:
        # Images from the scanner have the same name space, so the name must state a map.
        is_map = re.search(r"mu[-_ ]?map|umap|att[-_ ]?map", name, re.IGNORECASE)
        return "mu-map" if is_map else None
    if SINOGRAM not in space:
        return None
    stated = KINDS.get((header.text("pet data type") or "").lower())
    return stated or _by_types(header) or _by_name(name) or _by_name(_data_name(header)) or "counts"


def _by_types(header: InterfileHeader) -> Part | None:
    """Return the part that the sinogram types in a header state; None if they do not decide."""
    try:
        kinds = types_of(header)
    except EngineError:
        return None
    if any("scatter" in kind for kind in kinds):
        return "scatter"
    if len(kinds) > 1 and kinds[0] in (*PROMPTS, *TRUES):
        # Processed sinograms can keep the types of their source, so a clear file name decides.
        return None if _by_name(header.path.name) else "counts"
    return "randoms" if all(kind in RANDOMS for kind in kinds) else None


def _by_name(name: str) -> Part | None:
    return next((part for part, words in NAMES.items() if words.search(name)), None)


def _gathered(counts: FolderFile, found: list[FolderFile]) -> SiemensFolder:
    """Choose one file of each part."""
    parts: dict[Part, Path] = {}
    notes: list[str] = []
    for part in (*NAMES, "mu-map"):
        here = [each for each in found if each.part == part]
        fits = [each for each in here if not _is_of_another(counts, each)]
        notes += [
            f"{each.path.name} is ignored: its header belongs to another study than "
            f"{counts.path.name}."
            for each in here
            if each not in fits
        ]
        chosen = _preferred(fits)
        if len(chosen) == 1:
            parts[part] = chosen[0].path
            notes += [
                f"{chosen[0].path.name} is used instead of {each.path.name}."
                for each in fits
                if each is not chosen[0]
            ]
        elif chosen:
            notes.append(_unclear(part, chosen))
    # Attenuation factors are used as they are; a map would only be projected to the same factors.
    if "attenuation" in parts and "mu-map" in parts:
        notes.append(f"{parts.pop('mu-map').name} is not needed next to the attenuation factors.")
    others = [each for each in found if each.part != "counts"]
    members = {name: each.part for each in others for name in each.names}
    return SiemensFolder(counts.path, parts, tuple(notes), members)


def _unclear(part: Part, chosen: Iterable[FolderFile]) -> str:
    names = ", ".join(each.path.name for each in chosen)
    if part == "mu-map":
        return (
            f"Several files could be the {part!r} of the counts ({names}): choose one, or add them "
            "up (isocenter mu-map)."
        )
    return f"Several files could be the {part!r} of the counts ({names}): choose one."


def _preferred(found: list[FolderFile]) -> list[FolderFile]:
    """Return sinograms, which belong to the scan; if there are none, components."""
    of_scan = [each for each in found if not _is_components(each)]
    return of_scan or found


def _is_components(found: FolderFile) -> bool:
    return found.header is not None and NORM in (found.header.text(SPACE) or "").lower()


def _is_of_another(counts: FolderFile, other: FolderFile) -> bool:
    """Return True if both headers state a patient or a time, and these differ."""
    # A normalisation scan is from another day and of a phantom.
    if counts.header is None or other.header is None or other.part == "normalisation":
        return False
    keys = ("patient id", "patient name", DAY, *((TIME,) if other.part in OF_SCAN else ()))
    pairs = ((counts.header.text(key), other.header.text(key)) for key in keys)
    return any(a and b and a != b for a, b in pairs)
