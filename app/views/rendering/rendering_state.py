"""The settings of the three-dimensional view: mode, levels of the surfaces, regions."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.views.colour.volume_colours import VolumeAppearance
from app.views.rendering.ray_shader import RenderMode
from app.views.state import ViewState
from app.views.volume_facts import facts_of
from app.views.volume_kind import is_anatomical
from engine.analysis.regions import RegionShape
from engine.data import Volume

BONE_HU, SKIN_HU = 300.0, -400.0
SURFACE_PART = 0.4
"""First level of a surface that is not in HU, as a share of the bright values."""
ColouredRegion = tuple[RegionShape, str]


class RenderingState(QObject):
    """State of the three-dimensional view of the displayed volumes.

    Signals
    -------
    changed : mode, level or regions

    Attributes
    ----------
    mode : method that combines the values along a ray
    shows_regions : True if the regions are shown as surfaces
    """

    changed = Signal()

    def __init__(self, state: ViewState) -> None:
        super().__init__(state)
        self._state = state
        self.mode: RenderMode = "volume"
        self.shows_regions = True
        self.regions: tuple[ColouredRegion, ...] = ()
        # The unit is stored too: a level in HU means nothing for an activity.
        self._levels: dict[bool, tuple[str, float]] = {}

    @property
    def is_fused(self) -> bool:
        """True if the second volume is shown too."""
        fusion = self._state.fusion
        return fusion.has_values and not fusion.is_error and fusion.mode in ("blend", "swipe")

    def appearance(self, *, upper: bool) -> VolumeAppearance:
        """Return the display settings of one volume.

        Parameters
        ----------
        upper
            True for the second volume
        """
        return self._state.fusion if upper else self._state

    def level(self, *, upper: bool) -> float:
        """Return the value of the surface of a volume, in its unit; 0 without the volume.

        Parameters
        ----------
        upper
            True for the second volume
        """
        shown = self.appearance(upper=upper)
        unit, level = self._levels.get(upper, ("", 0.0))
        if shown.volume is None:
            return 0.0
        return level if upper in self._levels and unit == shown.unit else first_level(shown.volume)

    def set_level(self, level: float, *, upper: bool) -> None:
        """Set the value of the surface of a volume.

        Parameters
        ----------
        level
            value in the unit of the volume
        upper
            True for the second volume
        """
        chosen = self.appearance(upper=upper).unit, level
        if self._levels.get(upper) != chosen:
            self._levels[upper] = chosen
            self.changed.emit()

    def set_mode(self, mode: RenderMode) -> None:
        """Set the mode.

        Parameters
        ----------
        mode
            volume, surface or projection
        """
        if mode != self.mode:
            self.mode = mode
            self.changed.emit()

    def set_shows_regions(self, shows: bool) -> None:
        """Show or hide the regions.

        Parameters
        ----------
        shows
            True to show them
        """
        if shows != self.shows_regions:
            self.shows_regions = shows
            self.changed.emit()

    def set_regions(self, regions: tuple[ColouredRegion, ...]) -> None:
        """Set the regions.

        Parameters
        ----------
        regions
            shape and colour "#rrggbb" of each visible region
        """
        if regions != self.regions:
            self.regions = regions
            self.changed.emit()


def first_level(volume: Volume) -> float:
    """Return the level with which the surface of a volume begins: bone, skin or an active organ.

    Parameters
    ----------
    volume
        the volume
    """
    top = facts_of(volume).bright_top
    if volume.unit == "HU":
        # A phantom of water has no bone, so its outside is shown.
        return BONE_HU if top > 1.5 * BONE_HU else SKIN_HU
    part = 0.5 if is_anatomical(volume) else SURFACE_PART
    return float(f"{part * top:.2g}")
