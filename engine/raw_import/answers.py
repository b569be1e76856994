"""User's answers about a scan without description; missing answers are guessed."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from engine.core.errors import SettingsError
from engine.core.settings import Settings, parse, setting

Kind = Literal["counts", "transmission", "integrals"]
PARALLEL = "parallel"
# For these totals the last view can be at the end of the range.
AUTO = ("180", "360")


class Answers(Settings):
    """Answers of a user; None if there is no answer."""

    columns: int | None = setting(None, "pixels in a row of an image", ge=1)
    rows: int | None = setting(None, "rows of an image", ge=1)
    views: int | None = setting(None, "images of the scan", ge=1)
    dtype: str | None = setting(None, "type of raw values, such as uint16 or float32")
    byte_order: Literal["little", "big"] | None = setting(None, "of raw values")
    offset_bytes: int | None = setting(None, "header to skip in a raw file", ge=0)
    array: str | None = setting(None, "name of the projections in a file of several arrays")
    kind: Kind | None = setting(None, "meaning of the values")
    scale: float | None = setting(None, "factor for stored line integrals")
    white_level: float | None = setting(None, "counts of the open beam", gt=0)
    flats: str | None = setting(None, "open-beam images: a folder, a file, or a name prefix")
    darks: str | None = setting(None, "beam-off images: a folder, a file, or a name prefix")
    angles: str | None = setting(None, "total degrees, 360 or 180; FIRST:STEP; or a text file")
    clockwise: bool | None = setting(None, "the source turns clockwise, seen from +z")
    mirrored: bool | None = setting(None, "columns increase to the left, seen from the source")
    first_row: Literal["top", "bottom"] | None = setting(None, "first row of an image")
    beam: str | None = setting(None, "parallel, or SOURCE-AXIS,SOURCE-DETECTOR in mm")
    pixel: str | None = setting(None, "pixel width on the detector in mm, or WIDTH,HEIGHT")
    axis_column: float | None = setting(None, "column of the rotation axis, from 0")

    @model_validator(mode="after")
    def _usable(self) -> Self:
        # Check on input, so that the message appears next to the answer and not in the preview.
        numbers_of(self.pixel or "1", 2, "pixel", "0.05,0.06")
        if self.beam not in (None, PARALLEL):
            try:
                axis_mm, detector_mm = numbers_of(self.beam or "", 2, "beam", "100,400")
            except ValueError:
                axis_mm = detector_mm = 0.0
            if detector_mm <= axis_mm:
                raise ValueError(
                    f"'beam' is {self.beam!r}, expected 'parallel', or the distances from the "
                    "source to the axis and to the detector in mm, such as 100,400"
                )
        return self

    @property
    def pixel_mm(self) -> tuple[float, float] | None:
        """Width and height of a pixel [mm]; None if there is no answer."""
        if self.pixel is None:
            return None
        found = numbers_of(self.pixel, 2, "pixel", "0.05")
        # A single number means square pixels.
        return found[0], found[-1]

    @property
    def distances_mm(self) -> tuple[float, float] | None:
        """Distance from source to axis and to detector [mm].

        None for a parallel beam or without an answer.
        """
        if self.beam in (None, PARALLEL):
            return None
        axis, detector = numbers_of(self.beam or "", 2, "beam", "100,400")
        return axis, detector


def numbers_of(text: str, max_numbers: int, what: str, example: str) -> tuple[float, ...]:
    """Return positive numbers separated by commas.

    Parameters
    ----------
    text
        text of the user
    max_numbers
        largest number of numbers
    what
        name of the answer, for the message
    example
        a valid answer, for the message

    Raises
    ------
    ValueError
        if the text contains anything else, or a number is not between 0 and 10⁶
    """
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not 1 <= len(found) <= max_numbers or not all(0 < n < 1e6 for n in found):
        raise ValueError(f"{what!r} is {text!r}, expected numbers above 0, such as {example}")
    return found


def answers_of(given: dict[str, object]) -> Answers:
    """Return checked answers.

    Parameters
    ----------
    given
        answers by key; None for no answer

    Raises
    ------
    SettingsError
        if an answer is invalid; the message names it
    """
    return parse(Answers, {key: value for key, value in given.items() if value is not None},
                 where="The import")  # fmt: skip


def refuse_unknown(name: str, known: tuple[str, ...], what: str) -> None:
    """Refuse an unknown name.

    Parameters
    ----------
    name
        name given by the user
    known
        valid names
    what
        name of the option, for the message

    Raises
    ------
    SettingsError
        if `name` is none of the valid names, which the message lists
    """
    if name not in known:
        raise SettingsError(f"{what}: {name!r} is not available; choose one of {', '.join(known)}.")
