"""Differences between images of one scan, as short texts for their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from engine.data.runs.record import RecordedRun

MAX_CHARACTERS = 16
"""Maximum number of characters in a part of a name."""
Labels = dict[str, str]
"""Texts of one difference by image key; empty if the image has no special value."""


@dataclass(frozen=True)
class NameWords:
    """Words in names; the window passes them in its language.

    Attributes
    ----------
    quality : word for each quality level
    iterations, frames, subsets : short nouns after a number
    frame, subset : the same after 1
    off, missing : words after a correction that was switched off, and before one not applied
    endings : words for runs that ended early
    """

    quality: Mapping[str, str] = field(
        default_factory=lambda: {
            "fast": "Fast",
            "standard": "Standard",
            "fine": "Fine",
            "changed": "Changed",
        }
    )
    iterations: str = "it."
    frames: str = "frames"
    frame: str = "frame"
    subsets: str = "subsets"
    subset: str = "subset"
    off: str = "off"
    missing: str = "no"
    endings: Mapping[str, str] = field(
        default_factory=lambda: {
            "stopped": "stopped",
            "aborted": "aborted",
            "failed": "failed",
            "converged": "converged",
        }
    )


@dataclass(frozen=True)
class Named:
    """An image, or a queued run, that needs a name.

    Attributes
    ----------
    key : key of the image
    scan : name of the scan; images of one scan get different names
    run : record of the run
    when : local time of creation
    voxels : grid as text
    """

    key: str
    scan: str
    run: RecordedRun
    when: datetime
    voxels: str = ""


def differences_of(images: Sequence[Named], words: NameWords) -> Iterator[Labels]:
    """Yield the possible differences between images of one scan, the most useful first.

    Parameters
    ----------
    images
        images of one scan
    words
        words in the language of the names

    Yields
    ------
    Labels
        one difference at a time; the last one, a running number, differs for all images
    """
    yield _labels(images, lambda each: words.endings.get(each.run.ending, ""))
    yield _labels(images, lambda each: short_algorithm(each.run.algorithm))
    yield _labels(images, lambda each: _subsets(each.run, words))
    yield from _of_corrections(images, words)
    yield _of_changes(images)
    yield _labels(images, lambda each: shortened(each.voxels))
    yield _of_protocols(images)
    yield _labels(images, lambda each: f"{each.when:%H:%M}")
    yield _labels(images, lambda each: f"{each.when:%d %b}")
    yield _labels(images, lambda each: f"{each.when:%H:%M:%S}")
    # Two images can have the same time. The key makes the order of the numbers definite.
    in_time = sorted(images, key=lambda each: (each.when, each.key))
    yield {each.key: f"#{n}" for n, each in enumerate(in_time, 1)}


def short_algorithm(title: str) -> str:
    """Return the short name of an algorithm: "FDK" for "Filtered back projection (FDK)"."""
    short = title.removesuffix(")").rpartition(" (")[2] if title.endswith(")") else title
    return shortened(short)


def shortened(text: str) -> str:
    """Return a text cut to the length of a part of a name."""
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1].rstrip()}…"


def _labels(images: Sequence[Named], label: Callable[[Named], str]) -> Labels:
    return {each.key: label(each) for each in images}


def _subsets(run: RecordedRun, words: NameWords) -> str:
    if not run.subsets:
        return ""
    noun = words.subset if tuple(run.subsets) == (1,) else words.subsets
    return f"{'-'.join(map(str, run.subsets))} {noun}"


def _of_corrections(images: Sequence[Named], words: NameWords) -> Iterator[Labels]:
    """Yield for each correction the images in which it is missing."""
    states = {each.key: {row.kind: row.state for row in each.run.corrections} for each in images}
    kinds = dict.fromkeys(kind for found in states.values() for kind in found)
    for kind in kinds:
        title = kind.replace("_", " ")
        forms = {"off": f"{title} {words.off}", "unavailable": f"{words.missing} {title}"}
        yield {key: forms.get(found.get(kind, ""), "") for key, found in states.items()}


def _of_changes(images: Sequence[Named]) -> Labels:
    """Return the changed settings that not all images share."""
    changes = [set(each.run.protocol.changed) for each in images]
    common = set.intersection(*changes) if changes else set()
    return _labels(images, lambda each: _new_value(each.run.protocol.changed, common))


def _new_value(changed: Sequence[str], common: set[str]) -> str:
    own = [text for text in changed if text not in common]
    # The label of a change ends in its new value, which is the short part of it.
    return shortened(own[0].rpartition(", now ")[2]) if own else ""


def _of_protocols(images: Sequence[Named]) -> Labels:
    """Return the names of the protocols from the first word that differs."""
    names = {tuple(each.run.protocol.name.split(" ")) for each in images}
    n = 0
    while len(names) > 1 and len({name[: n + 1] for name in names}) == 1:
        n += 1
    return _labels(images, lambda each: shortened(" ".join(each.run.protocol.name.split(" ")[n:])))
