"""Short names of images that differ within a scan.

A name begins with quality and iterations, such as "Fine · 8 it.". If another image of the scan has
the same name, the difference follows: end of the run, algorithm, a correction, protocol or voxels,
otherwise the time of day. The first `VISIBLE` characters of two names of one scan always differ,
because lists cut off names there.
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
"""Characters that every list shows; the last one may become an ellipsis."""
BETWEEN = " · "
Parts = tuple[str, ...]


ENGLISH = NameWords()


def image_names(images: Sequence[Named], words: NameWords = ENGLISH) -> dict[str, str]:
    """Return names for images; within a scan they differ in the visible part.

    Parameters
    ----------
    images
        images of any scans
    words
        words in the language of the names

    Returns
    -------
    dict
        name by image key
    """
    scans: dict[str, list[Named]] = defaultdict(list)
    for each in images:
        scans[each.scan].append(each)
    names: dict[str, str] = {}
    for group in scans.values():
        names |= _names_of_one_scan(group, words)
    return names


def difference_parts(one: str, other: str) -> tuple[str, str]:
    """Return the first parts in which two names differ, such as ("Fine", "Standard").

    Parameters
    ----------
    one, other
        names from `image_names`

    Returns
    -------
    tuple of str
        both whole names if one is the beginning of the other
    """
    for a, b in zip(one.split(BETWEEN), other.split(BETWEEN), strict=False):
        if a != b:
            return a, b
    return one, other


def difference_name(one: str, other: str) -> str:
    """Return the name of the difference of two images: "Fine − Standard"."""
    return " − ".join(difference_parts(one, other))


def _names_of_one_scan(images: Sequence[Named], words: NameWords) -> dict[str, str]:
    parts = {each.key: _common_parts(each, words) for each in images}
    for labels in differences_of(images, words):
        # Names that already differ stay as they are, so that each one is as short as possible.
        for clashing in _clashes(parts):
            found = {key: labels[key] for key in clashing}
            # A difference that all images of the group share would only make the names longer.
            if len(set(found.values())) > 1:
                parts |= _distinguished({key: parts[key] for key in clashing}, _unusual(found))
    return {key: BETWEEN.join(found) for key, found in parts.items()}


def _common_parts(image: Named, words: NameWords) -> Parts:
    """Return quality (otherwise protocol) and iterations, which are enough for most names."""
    run = image.run
    head = words.quality[run.quality] if run.quality else shortened(run.protocol.name)
    if run.frames_planned:
        n_frames = run.frames_done or run.frames_planned
        return head, f"{n_frames} {words.frame if n_frames == 1 else words.frames}"
    if not run.iterates:
        return (head, short_algorithm(run.algorithm)) if run.algorithm else (head,)
    # A waiting run has no iterations yet, so its planned number stands in its name.
    waits = run.ending == "running" and not run.iterations_done
    if waits and run.may_end_early and run.algorithm:
        return head, short_algorithm(run.algorithm)
    n = run.iterations_planned if waits else run.iterations_done
    return head, f"{number(n)} {words.iterations}"


def _clashes(parts: Mapping[str, Parts]) -> list[list[str]]:
    """Return the groups of images that look equal in a list."""
    groups: dict[str, list[str]] = defaultdict(list)
    for key, found in parts.items():
        groups[_visible_part(found)].append(key)
    return [keys for keys in groups.values() if len(keys) > 1]


def _unusual(labels: Mapping[str, str]) -> dict[str, str]:
    """Return a difference without the text that most images of a group share."""
    most, n = Counter(labels.values()).most_common(1)[0]
    common = most if 2 * n > len(labels) else None
    return {key: "" if text == common else text for key, text in labels.items()}


def _distinguished(parts: Mapping[str, Parts], labels: Mapping[str, str]) -> dict[str, Parts]:
    """Add a difference to the names of a group: at the end, or earlier if it would be cut off."""
    ways = (
        {key: (*found, labels[key]) if labels[key] else found for key, found in parts.items()},
        {key: (found[0], labels[key], *found[1:]) if labels[key] else found
         for key, found in parts.items()},
        {key: (labels[key], *found) if labels[key] else found for key, found in parts.items()},
    )  # fmt: skip
    # Of equal variants `max` returns the first: the difference at the end.
    return max(ways, key=lambda style: len({_visible_part(found) for found in style.values()}))


def _visible_part(parts: Parts) -> str:
    return BETWEEN.join(parts)[: VISIBLE - 1]
