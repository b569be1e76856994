"""The layout of the views as one value that fits a settings line."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Literal, get_args

from engine.geometry import PlaneName

ProjectionKind = Literal["mip", "3d"]
LayoutKind = Literal["four", "main", "one", "sheet"]
ViewName = Literal["axial", "coronal", "sagittal", "projection"]
SHEETS = ((2, 2), (2, 3), (3, 4), (4, 5))
SPACINGS = (0, 1, 2, 5, 10)


@dataclass(frozen=True)
class ViewLayout:
    """The views of the window and their sizes.

    Attributes
    ----------
    kind : "four" two by two, "main" one large and three small ones, "one" alone, "sheet" a light
        box
    main : name of the large or only view
    rows, columns : size of the light box
    spacing : slices from one tile of the light box to the next; 0 spreads them over the volume
    projection : "mip" turning maximum intensity projection, "3d" volume or surface in its place
    """

    kind: LayoutKind = "four"
    main: ViewName = "axial"
    rows: int = 3
    columns: int = 4
    spacing: int = 0
    projection: ProjectionKind = "mip"

    @property
    def plane(self) -> PlaneName:
        """The plane of the light box."""
        return "axial" if self.main == "projection" else self.main

    def to_text(self) -> str:
        """Return the layout as words separated by spaces."""
        return " ".join(map(str, astuple(self)))

    @classmethod
    def of(cls, text: str) -> ViewLayout:
        """Parse a layout.

        Parameters
        ----------
        text
            text from `to_text`

        Returns
        -------
        the default layout if the text is invalid
        """
        words = text.split()
        kinds, names = get_args(LayoutKind), get_args(ViewName)
        # Older versions stored no kind of projection.
        words += ["mip"] * (len(words) == 5)
        shown = get_args(ProjectionKind)
        if len(words) != 6 or words[5] not in shown:
            return cls()
        if words[0] not in kinds or words[1] not in names:
            return cls()
        rows, columns, spacing = (int(word) if word.isdecimal() else -1 for word in words[2:5])
        # The settings file may come from another version, so each value is checked.
        if (rows, columns) not in SHEETS or spacing not in SPACINGS:
            return cls()
        # Through the tuples, so that the type checker knows the literals.
        kind, name = kinds[kinds.index(words[0])], names[names.index(words[1])]
        return cls(kind, name, rows, columns, spacing, shown[shown.index(words[5])])
