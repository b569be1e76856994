"""Short names of images that tell those of one scan apart.

A name begins with quality and iterations, such as "Fine · 8 it.". Where that is the name of another
image of the same scan, the difference follows: how the run ended, the algorithm, a correction, the
protocol, the voxels; else the time of day. The first `VISIBLE` characters of two names of one scan
always differ, since lists cut names off there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from engine.data.runs.record import number
from engine.results.name_differences import (
    Named,
    NameWords,
    differences_of,
    short_algorithm,
    shortened,
)

VISIBLE = 28
"""Characters that every list shows, less one for the sign of what is left out."""
BETWEEN = " · "
Parts = tuple[str, ...]


ENGLISH = NameWords()


def image_names(images: Sequence[Named], words: NameWords = ENGLISH) -> dict[str, str]:
    """Return a name for each image by its key; those of one scan differ in what is visible."""
    scans: dict[str, list[Named]] = defaultdict(list)
    for each in images:
        scans[each.scan].append(each)
    names: dict[str, str] = {}
    for group in scans.values():
        names |= _names_of_one_scan(group, words)
    return names


def difference_parts(one: str, other: str) -> tuple[str, str]:
    """Return by what two names differ: ("Fine", "Standard"), the first part that is not the same.

    Both names where one only goes on after the other.
    """
    for a, b in zip(one.split(BETWEEN), other.split(BETWEEN), strict=False):
        if a != b:
            return a, b
    return one, other


def difference_name(one: str, other: str) -> str:
    """Return the name of the first image less the second: "Fine − Standard"."""
    return " − ".join(difference_parts(one, other))


def _names_of_one_scan(images: Sequence[Named], words: NameWords) -> dict[str, str]:
    parts = {each.key: _usual(each, words) for each in images}
    for labels in differences_of(images, words):
        for clashing in _clashes(parts):
            found = {key: labels[key] for key in clashing}
            if len(set(found.values())) > 1:
                parts |= _distinguished({key: parts[key] for key in clashing}, _unusual(found))
    return {key: BETWEEN.join(found) for key, found in parts.items()}


def _usual(image: Named, words: NameWords) -> Parts:
    """Return quality, else protocol, and iterations: what most names need."""
    run = image.run
    head = words.quality[run.quality] if run.quality else shortened(run.protocol.name)
    if run.frames_planned:
        return head, f"{run.frames_done or run.frames_planned} {words.frames}"
    if not run.iterates:
        return (head, short_algorithm(run.algorithm)) if run.algorithm else (head,)
    waits = run.ending == "running" and not run.iterations_done
    n = run.iterations_planned if waits else run.iterations_done
    return head, f"{number(n)} {words.iterations}"


def _clashes(parts: Mapping[str, Parts]) -> list[list[str]]:
    """Return the keys of images that look the same in a list, group by group."""
    groups: dict[str, list[str]] = defaultdict(list)
    for key, found in parts.items():
        groups[_seen(found)].append(key)
    return [keys for keys in groups.values() if len(keys) > 1]


def _unusual(labels: Mapping[str, str]) -> dict[str, str]:
    """Return a difference without the words that most images of a group share."""
    most, n = Counter(labels.values()).most_common(1)[0]
    usual = most if 2 * n > len(labels) else None
    return {key: "" if text == usual else text for key, text in labels.items()}


def _distinguished(parts: Mapping[str, Parts], labels: Mapping[str, str]) -> dict[str, Parts]:
    """Add a difference to the names of a group: at the end, or before what would hide it."""
    ways = (
        {key: (*found, labels[key]) if labels[key] else found for key, found in parts.items()},
        {key: (found[0], labels[key], *found[1:]) if labels[key] else found
         for key, found in parts.items()},
        {key: (labels[key], *found) if labels[key] else found for key, found in parts.items()},
    )  # fmt: skip
    return max(ways, key=lambda way: len({_seen(found) for found in way.values()}))


def _seen(parts: Parts) -> str:
    return BETWEEN.join(parts)[: VISIBLE - 1]
