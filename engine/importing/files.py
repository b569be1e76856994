"""Which files of a folder are projections, flats, darks and a list of angles, by their names.

Words in the names of files and of the folders that they are in decide. The largest group of images
without such a word is the scan. Where a folder has no flats, the folders beside it may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import FileFormatError
from engine.io.folder import entries, is_file, is_folder, size_of
from engine.io.xray.array_files import holds_arrays

FLATS = frozenset(
    (
        *("flat", "flats", "flatfield", "ff", "white", "whites", "ref", "refs", "reference"),
        *("open", "openbeam", "io", "gain", "bright", "brightfield", "blank", "empty", "air"),
    )
)
DARKS = frozenset(("dark", "darks", "darkfield", "df", "offset", "offsets", "di", "black"))
BESIDES = frozenset(
    ("field", "fields", "beam", "image", "images", "before", "after", "pre", "post")
)
"""Words that may stand beside these in the name of a folder that is near a scan."""
TIFF = (".tif", ".tiff")
RAW = (".raw", ".bin", ".dat", ".img", ".vol", ".seq", ".sin", ".prj", ".f32", ".u16")
TEXTS = (".txt", ".csv", ".ang", ".angles", ".rot")
MOST_TEXT_BYTES = 10_000_000
MOST_FOLDERS = 40
FEWEST = 20
"""Images in a group from which they are a scan, whatever their names sound like."""
WORDS = re.compile(r"[a-z]+")
NUMBERED = re.compile(r"^(?P<prefix>.*?)\d+$")
NUMBERS = re.compile(r"[\d.+-]*\d")


@dataclass(frozen=True)
class ImageGroup:
    """Images that belong together: those of one folder whose names begin alike.

    Attributes
    ----------
    folder : that they are in
    prefix : what their names begin with
    files : in the order of their numbers
    """

    folder: Path
    prefix: str
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Material:
    """What was found to import.

    Attributes
    ----------
    folder : in which the sidecar will lie
    images : of the scan, in order; one raw file or file of arrays, or many
    flats, darks : likewise
    texts : files that may list angles
    """

    folder: Path
    images: tuple[Path, ...]
    flats: tuple[Path, ...] = ()
    darks: tuple[Path, ...] = ()
    texts: tuple[Path, ...] = ()

    @property
    def are_tiff(self) -> bool:
        """Whether the projections are TIFF images."""
        return is_tiff_name(self.images[0])


def is_tiff_name(path: Path) -> bool:
    """Whether a file is a TIFF image by its name."""
    return path.name.lower().endswith(TIFF)


def is_image_name(path: Path) -> bool:
    """Whether a file may hold projections, by its name."""
    ending = path.suffix.lower()
    return ending in (*TIFF, *RAW, ".mrc") or holds_arrays(path)


def role_of(path: Path, within: Path) -> str:
    """Return "flats", "darks" or "", by the last word that tells in a path below a folder."""
    parts = [*path.relative_to(within).parts[:-1], path.stem]
    for part in reversed(parts):
        words = WORDS.findall(part.lower())
        if any(word in DARKS for word in words):
            return "darks"
        if any(word in FLATS for word in words):
            return "flats"
    return ""


def _is_named_after_role(name: str) -> bool:
    """Whether a folder's name says nothing but its role, so that it is no other scan."""
    words = WORDS.findall(name.lower())
    roles = [word for word in words if word in FLATS | DARKS]
    return bool(roles) and all(word in FLATS | DARKS | BESIDES for word in words)


def natural(path: Path) -> tuple[tuple[int, str | int], ...]:
    """Return a key that sorts names by the numbers in them."""
    parts = re.split(r"(\d+)", path.name)
    return tuple((1, int(part)) if part.isdigit() else (0, part) for part in parts)


def material_of(path: Path) -> Material:
    """Return what a folder, an image or a raw file stands for.

    Raises
    ------
    FileFormatError
        where there are no images, or several scans
    """
    if is_folder(path):
        return _with_folders_beside(_of_folder(path), path)
    folder = path.parent
    if is_tiff_name(path):
        group = next(each for each in groups_in([folder]) if path in each.files)
        return _with_references(group.files, folder, path)
    if not is_file(path):
        raise FileFormatError(f"{path}: no such file or folder; check the path.")
    return _with_references((path,), folder, path)


def groups_in(folders: Iterable[Path]) -> list[ImageGroup]:
    """Return the images of folders by folder and beginning of their names, the largest first."""
    found: dict[tuple[Path, str, str], list[Path]] = {}
    for folder in folders:
        for each in entries(folder):
            if is_image_name(each) and is_file(each):
                number = NUMBERED.match(each.stem)
                begins = number["prefix"] if number else each.stem
                found.setdefault((folder, begins, each.suffix.lower()), []).append(each)
    together: dict[tuple[Path, str, str], list[Path]] = {}
    for (folder, begins, ending), files in found.items():
        # names that no two files begin alike: those with more numbers than one
        alike = begins if len(files) > 1 else NUMBERS.sub("*", files[0].stem)
        together.setdefault((folder, alike, ending), []).extend(files)
    groups = [
        ImageGroup(folder, prefix, tuple(sorted(files, key=natural)))
        for (folder, prefix, _), files in together.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.files), -size_of(group.files[0])))


def _folders(folder: Path) -> list[Path]:
    """Return a folder and those in it, two deep."""
    inner = [each for each in entries(folder) if is_folder(each) and each.name[0] != "."]
    deeper = [
        each
        for one in inner[:MOST_FOLDERS]
        for each in entries(one)
        if is_folder(each) and each.name[0] != "."
    ]
    return [folder, *inner[:MOST_FOLDERS], *deeper[:MOST_FOLDERS]]


def _of_folder(folder: Path) -> Material:
    groups = groups_in(_folders(folder))
    scans = [group for group in groups if not role_of(group.files[0], folder)]
    if not scans and groups and len(groups[0].files) >= FEWEST:
        scans = groups[:1]  # a name that only sounds like flats
        groups = groups[1:]
    if not scans:
        raise FileFormatError(
            f"{folder.name}: holds no images that could be projections (TIFF, raw, NumPy, MATLAB, "
            "MRC or HDF5); choose the folder of the scan."
        )
    scan = scans[0]
    rivals = [each for each in scans[1:] if 2 * len(each.files) > len(scan.files)]
    if rivals:
        names = ", ".join(_named(each, folder) for each in (scan, *rivals[:3]))
        raise FileFormatError(
            f"{folder.name}: {len(rivals) + 1} scans may lie here ({names}); choose one image or "
            "the folder of one of them."
        )
    found = {role: _of_role(groups, role, folder) for role in ("flats", "darks")}
    texts = _texts([folder, scan.folder])
    return Material(folder, scan.files, found["flats"], found["darks"], texts)


def _with_references(images: tuple[Path, ...], folder: Path, chosen: Path) -> Material:
    """Return a scan that was chosen by one file, with the flats and darks near it."""
    groups = [group for group in groups_in(_folders(folder)) if chosen not in group.files]
    found = {role: _of_role(groups, role, folder) for role in ("flats", "darks")}
    material = Material(folder, images, found["flats"], found["darks"], _texts([folder]))
    return _with_folders_beside(material, folder) if is_tiff_name(chosen) else material


def _with_folders_beside(material: Material, folder: Path) -> Material:
    """Return it with the flats and darks of the folders beside, where its own has none."""
    if material.flats or material.darks or not material.are_tiff:
        return material
    folder = folder.absolute()
    beside = [
        each
        for each in entries(folder.parent)
        if is_folder(each) and each != folder and _is_named_after_role(each.name)
    ]
    groups = groups_in(beside[:MOST_FOLDERS])
    found = {role: _of_role(groups, role, folder.parent) for role in ("flats", "darks")}
    if not any(found.values()):
        return material
    return Material(
        folder.parent,
        tuple(each.absolute() for each in material.images),
        found["flats"],
        found["darks"],
        material.texts,
    )


def _of_role(groups: list[ImageGroup], role: str, folder: Path) -> tuple[Path, ...]:
    files = (each for group in groups for each in group.files)
    return tuple(sorted((each for each in files if role_of(each, folder) == role), key=natural))


def _texts(folders: list[Path]) -> tuple[Path, ...]:
    found = [
        each
        for folder in dict.fromkeys(folders)
        for each in entries(folder)
        if each.suffix.lower() in TEXTS and is_file(each) and size_of(each) <= MOST_TEXT_BYTES
    ]
    return tuple(sorted(found, key=lambda each: "ang" not in each.name.lower()))


def _named(group: ImageGroup, folder: Path) -> str:
    return group.files[0].relative_to(folder).as_posix()
