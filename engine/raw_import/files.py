"""Sort the files of a folder into projections, flats, darks and angle lists, by their names.

Words in the names of files and of their folders decide. The largest group of images without such a
word is the scan. If a folder has no flats, adjacent folders may contain them.

Flats are used only if nothing in their names and in those of their folders refers to another scan.
The rest of a name, without the words for flats and darks, must also be part of the scan's names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, FileFormatError
from engine.io.folder import entries, is_file, is_folder, size_of
from engine.io.hdf5.opening import format_of, is_hdf5
from engine.io.safety.open_input import open_input
from engine.io.xray.array_files import arrays_in, holds_arrays
from engine.io.xray.bare_images import IMAGE_ENDINGS
from engine.io.xray.find import find
from engine.io.xray.text.angle_text import is_named_angle
from engine.io.xray.text.number_lists import decoded

if TYPE_CHECKING:
    from collections.abc import Sequence

TIFF = IMAGE_ENDINGS
RAW = (".raw", ".bin", ".dat", ".img", ".vol", ".seq", ".sin", ".prj", ".f32", ".u16")
NO_LISTS = (".toml", ".png", ".jpg", ".jpeg", ".bmp", ".pdf", ".zip", ".gz", ".mrc", ".py", ".m")
MAX_TEXTS = 60
MAX_TEXT_BYTES = 10_000_000
MAX_FOLDERS = 40
MIN_IMAGES = 20
"""Number of images from which a group is a scan, whatever its name suggests."""
NUMBERED = re.compile(r"^(?P<prefix>.*?)\d+$")
NUMBERS = re.compile(r"[\d.+-]*\d")
OURS = "isocenter-"
FLATS = frozenset(
    (
        *("flat", "flats", "flatfield", "ff", "white", "whites", "ref", "refs", "reference"),
        *("open", "openbeam", "io", "gain", "bright", "brightfield", "blank", "empty", "air"),
    )
)
DARKS = frozenset(("dark", "darks", "darkfield", "df", "offset", "offsets", "di", "black"))
OTHER_FILES = frozenset(
    ("field", "fields", "beam", "image", "images", "before", "after", "pre", "post")
)
"""Words that may be part of the name of a folder of flats or darks."""
WORDS = re.compile(r"[a-z]+")
TOKENS = re.compile(r"[a-z]+|\d+")


@dataclass(frozen=True)
class ImageGroup:
    """Images that belong together: in the same folder, with the same beginning of their names.

    Attributes
    ----------
    folder : folder of the images
    prefix : common beginning of their names
    files : images in the order of their numbers
    """

    folder: Path
    prefix: str
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Material:
    """Material found for an import.

    Attributes
    ----------
    folder : folder in which the sidecar will be written
    images : images of the scan in order, or a single raw or array file
    flats, darks : the same for flat and dark fields
    texts : files that may list angles
    """

    folder: Path
    images: tuple[Path, ...]
    flats: tuple[Path, ...] = ()
    darks: tuple[Path, ...] = ()
    texts: tuple[Path, ...] = ()

    @property
    def are_tiff(self) -> bool:
        """Return True if the projections are TIFF or EDF images, which are treated alike."""
        return is_tiff_name(self.images[0])


def is_tiff_name(path: Path) -> bool:
    """Return True if the name is that of a TIFF or EDF image.

    Parameters
    ----------
    path
        file; it is not opened
    """
    return path.name.lower().endswith(TIFF)


def is_image_name(path: Path) -> bool:
    """Return True if the name is that of a file that may contain projections.

    Parameters
    ----------
    path
        file; it is not opened
    """
    ending = path.suffix.lower()
    return ending in (*TIFF, *RAW, ".mrc") or holds_arrays(path)


def natural(path: Path) -> tuple[tuple[int, str | int], ...]:
    """Return a key that sorts names by the numbers in them.

    Parameters
    ----------
    path
        file; only its name is used

    Returns
    -------
    natural
        img_2 comes before img_10
    """
    parts = re.split(r"(\d+)", path.name)
    # The leading 0 or 1 prevents comparing text with numbers, which Python refuses.
    return tuple((1, int(part)) if part.isdigit() else (0, part) for part in parts)


def material_of(path: Path) -> Material:
    """Return the files of the scan in a folder, or of an image or a raw file.

    Parameters
    ----------
    path
        folder or file that the user selected

    Raises
    ------
    FileFormatError
        if there are no images, or several scans
    """
    if is_folder(path):
        return _with_adjacent_folders(_of_folder(path), path)
    folder = path.parent
    if is_tiff_name(path):
        # One image of a stack stands for all images of its group.
        group = next(each for each in groups_in([folder]) if path in each.files)
        return _with_references(group.files, folder, path)
    if not is_file(path):
        raise FileFormatError(f"{path}: this file or folder does not exist; check the path.")
    return _with_references((path,), folder, path)


def groups_in(folders: Iterable[Path]) -> list[ImageGroup]:
    """Return the images of folders, grouped by folder and beginning of their names.

    Parameters
    ----------
    folders
        folders to search, without their subfolders

    Returns
    -------
    groups_in
        the largest group first
    """
    found: dict[tuple[Path, str, str], list[Path]] = {}
    for folder in folders:
        for each in entries(folder):
            if is_image_name(each) and is_file(each):
                number = NUMBERED.match(each.stem)
                begins = number["prefix"] if number else each.stem
                found.setdefault((folder, begins, each.suffix.lower()), []).append(each)
    by_name: dict[tuple[Path, str, str], list[Path]] = {}
    for (folder, pattern, ending), begins in _alike(found).items():
        # Names with several numbers, such as a counter and an angle, seldom share a beginning.
        one_scan = len(begins) >= max(len(files) for files in begins.values())
        for prefix, files in begins.items():
            key = (folder, pattern if one_scan else prefix, ending)
            by_name.setdefault(key, []).extend(files)
    groups = [
        ImageGroup(folder, prefix, tuple(sorted(files, key=natural)))
        for (folder, prefix, _), files in by_name.items()
    ]
    # Size breaks ties: a raw scan in one file is larger than its reference files.
    return sorted(groups, key=lambda group: (-len(group.files), -size_of(group.files[0])))


def _is_text(path: Path) -> bool:
    """Return True if a file with the ending of raw data is a text, such as a list of angles."""
    # ".dat" is common for both; only the content tells.
    if path.suffix.lower() not in RAW or size_of(path) > MAX_TEXT_BYTES:
        return False
    try:
        with open_input(path) as file:
            return decoded(file.head) is not None
    except EngineError:
        return False


def _alike(
    found: dict[tuple[Path, str, str], list[Path]],
) -> dict[tuple[Path, str, str], dict[str, list[Path]]]:
    """Return beginnings of names and their files, by folder, pattern without numbers and ending."""
    alike: dict[tuple[Path, str, str], dict[str, list[Path]]] = {}
    for (folder, begins, ending), files in found.items():
        pattern = NUMBERS.sub("*", files[0].stem)
        alike.setdefault((folder, pattern, ending), {})[begins] = files
    return alike


def _folders(folder: Path) -> list[Path]:
    """Return a folder and its subfolders, two levels deep."""
    inner = [each for each in entries(folder) if is_folder(each) and each.name[0] != "."]
    deeper = [
        each
        # Limits keep the search short if somebody selects a whole disk.
        for one in inner[:MAX_FOLDERS]
        for each in entries(one)
        if is_folder(each) and each.name[0] != "."
    ]
    return [folder, *inner[:MAX_FOLDERS], *deeper[:MAX_FOLDERS]]


def _of_folder(folder: Path) -> Material:
    groups = [each for each in groups_in(_folders(folder)) if not _is_text(each.files[0])]
    scans = [group for group in groups if not role_of(group.files[0], folder)]
    # A scan called "white_matter" has images with a word for flats; many images are still a scan.
    if not scans and groups and len(groups[0].files) >= MIN_IMAGES:
        scans = groups[:1]  # a name that only sounds like flats
        groups = groups[1:]
    if not scans:
        raise FileFormatError(
            f"{folder.name}: this folder contains no images that could be projections (TIFF, EDF, "
            "raw, NumPy, MATLAB, MRC or HDF5); choose the folder of the scan."
        )
    scan = scans[0]
    # A second group of similar size is another scan; guessing would reconstruct the wrong one.
    rivals = [each for each in scans[1:] if 2 * len(each.files) > len(scan.files)]
    if rivals:
        names = ", ".join(_named(each, folder) for each in (scan, *rivals[:3]))
        raise FileFormatError(
            f"{folder.name}: this folder could contain {len(rivals) + 1} scans ({names}); choose "
            "one image or the folder of one scan."
        )
    found = _references(groups, scan, folder)
    texts = _texts([folder, scan.folder], scan.files)
    return Material(folder, scan.files, found["flats"], found["darks"], texts)


def _with_references(images: tuple[Path, ...], folder: Path, chosen: Path) -> Material:
    """Return a scan that was selected by one of its files, with the flats and darks near it."""
    every = groups_in(_folders(folder))
    scan = next(group for group in every if chosen in group.files)
    found = _references([group for group in every if group is not scan], scan, folder)
    material = Material(folder, images, found["flats"], found["darks"], _texts([folder], images))
    return _with_adjacent_folders(material, folder) if is_tiff_name(chosen) else material


def _with_adjacent_folders(material: Material, folder: Path) -> Material:
    """Return the scan with flats and darks from adjacent folders, if its own has none."""
    if material.flats or material.darks or not material.are_tiff:
        return material
    folder = folder.absolute()
    adjacent = [
        # Scanners of some beamlines write "flat" and "dark" folders next to each scan.
        each
        for each in entries(folder.parent)
        if is_folder(each) and each != folder and is_named_after_role(each.name)
    ]
    scan = ImageGroup(material.images[0].parent, "", material.images)
    found = _references(groups_in(adjacent[:MAX_FOLDERS]), scan, folder.parent)
    if not any(found.values()):
        return material
    # The sidecar must be above all of its files, because its names are relative.
    return Material(
        folder.parent,
        tuple(each.absolute() for each in material.images),
        found["flats"],
        found["darks"],
        material.texts,
    )


def _references(
    groups: list[ImageGroup], scan: ImageGroup, within: Path
) -> dict[str, tuple[Path, ...]]:
    """Return the flats and darks of a scan among groups of images."""
    found: dict[str, list[Path]] = {"flats": [], "darks": []}
    for group in groups:
        # References of another scan in the same folder would have the wrong exposure.
        if belongs(group.folder, group.prefix, scan.folder, scan.prefix):
            for each in group.files:
                role = role_of(each, within)
                if role:
                    found[role].append(each)
    return {role: tuple(sorted(files, key=natural)) for role, files in found.items()}


def _texts(folders: list[Path], images: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return all files that may list angles: any name, but no images and no sidecars."""
    found = [
        each
        for folder in dict.fromkeys(folders)
        for each in entries(folder)
        if each not in images and _may_list(each)
    ]
    # Names that suggest angles first, because only the first 60 files are read.
    ranked = sorted(found, key=lambda each: not is_named_angle(each.stem))
    return tuple(ranked[:MAX_TEXTS])


def _may_list(path: Path) -> bool:
    ending = path.suffix.lower()
    if is_tiff_name(path) or ending in NO_LISTS or path.name[0] == "." or not is_file(path):
        return False
    return 0 < size_of(path) <= MAX_TEXT_BYTES


def _named(group: ImageGroup, folder: Path) -> str:
    return group.files[0].relative_to(folder).as_posix()


def may_import(path: Path) -> bool:
    """Return True if an unreadable file or folder may contain projections without a description.

    Parameters
    ----------
    path
        file or folder that no reader accepted

    Returns
    -------
    may_import
        False if a sidecar exists, because opening it is better than importing again
    """
    try:
        if find(path) is not None:
            return False
        first = material_of(path).images[0] if is_folder(path) else path
        if is_tiff_name(first) or first.suffix.lower() in (*RAW, ".mrc"):
            return True
        return holds_arrays(first) and _has_images(first)
    except EngineError:
        return False


def _has_images(path: Path) -> bool:
    with open_input(path) as file:
        # Files of Isocenter are never raw projections, even if this version cannot read them.
        if is_hdf5(file.head) and (format_of(file) or "").startswith(OURS):
            return False
        shapes = (each.shape for each in arrays_in(file))
        return any(len(shape) in (2, 3) and min(shape) > 1 for shape in shapes)


def role_of(path: Path, within: Path) -> str:
    """Return the role of a file by its name and the folders above it.

    Parameters
    ----------
    path
        file
    within
        folder below which names count

    Returns
    -------
    role
        "flats", "darks" or "". The name closest to the file decides.
    """
    parts = [*path.relative_to(within).parts[:-1], path.stem]
    for part in reversed(parts):
        # "dark" before "flat": the dark of a flat field ("flat_dark") is a dark.
        words = WORDS.findall(part.lower())
        if any(word in DARKS for word in words):
            return "darks"
        if any(word in FLATS for word in words):
            return "flats"
    return ""


def is_named_after_role(name: str) -> bool:
    """Return True if the name of a folder states only a role, so that it is no other scan.

    Parameters
    ----------
    name
        name of the folder
    """
    words = WORDS.findall(name.lower())
    roles = [word for word in words if word in FLATS | DARKS]
    return bool(roles) and all(word in FLATS | DARKS | OTHER_FILES for word in words)


def belongs(images: Path, prefix: str, scan: Path, scan_prefix: str) -> bool:
    """Return True if flats or darks belong to a scan and to no other, by their names.

    Parameters
    ----------
    images, prefix
        folder of the flats or darks, and the beginning of their names
    scan, scan_prefix
        the same for the projections
    """
    images, scan = images.absolute(), scan.absolute()
    known = [_tokens(name) for name in (scan.name, scan.parent.name, scan_prefix)]
    home = images
    # Every folder between the references and a common parent must fit the scan.
    while home != home.parent and not scan.is_relative_to(home):
        if not _is_left_known(home.name, known):
            return False
        home = home.parent
    has_role = home != images and bool(_tokens(images.name) & (FLATS | DARKS))
    return has_role or _is_left_known(prefix, known)


def _is_left_known(name: str, names: Sequence[frozenset[str]]) -> bool:
    """Return True if a name without the words of its role adds nothing to the scan's names.

    Only names of the scan that share a word with it count. The 2 of "tooth2_flats" is known from a
    scan in "tooth2", but not from a scan "tooth" in the folder "monday2".
    """
    left = _tokens(name) - FLATS - DARKS - OTHER_FILES
    words = frozenset(filter(str.isalpha, left))
    return not words or left <= frozenset[str]().union(*(n for n in names if n & words))


def _tokens(name: str) -> frozenset[str]:
    return frozenset(TOKENS.findall(name.lower()))
