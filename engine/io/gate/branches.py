"""Names of the coincidence branches that GATE 9 and 10 write.

GATE 9 ends names with 1 or 2 and writes seconds. The Python coincidence sorter of GATE 10 ends them
with 1 or 2, too; the actor of GATE 10 puts the number before the axis (`PostPosition1_X`). Both
write nanoseconds. https://opengate.readthedocs.io
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

IDS = (
    *("gantryID", "rsectorID", "sectorID", "cassetteID", "moduleID", "submoduleID", "blockID"),
    *("crystalID", "layerID", "pixelID"),
)
"""Volume IDs in GATE's systems, from outside to inside; a file contains some of them."""
AXES = "XYZ"
# Branch names without the number of the photon, as GATE writes them, mixed case included.
SCATTERS = ("comptonPhantom", "RayleighPhantom")
TIMES = {"time": 1.0, "GlobalTime": 1e-9}
"""Name of the time -> its unit in seconds."""
PLACES = ("globalPos{axis}{end}", "PostPosition_{axis}{end}", "PostPosition{end}_{axis}")
SOURCES = ("sourcePos{axis}{end}", "EventPosition_{axis}{end}", "EventPosition{end}_{axis}")
EVENTS = ("eventID", "EventID")


@dataclass(frozen=True)
class Branches:
    """Names of the branches of both photons in a file; parts can be missing.

    Attributes
    ----------
    times : times of both photons
    unit_s : unit of the times [s]
    ids : volume IDs of both photons, in the same order
    places : x, y, z of both detections [mm]
    sources : x, y, z of the decay of the first photon [mm]
    events : number of the decay of both photons
    scatters : number of scatterings of each photon in the phantom
    """

    times: tuple[str, str]
    unit_s: float
    ids: tuple[tuple[str, ...], tuple[str, ...]]
    places: tuple[tuple[str, ...], tuple[str, ...]]
    sources: tuple[str, ...]
    events: tuple[str, ...]
    scatters: tuple[str, ...]

    @classmethod
    def of(cls, names: Collection[str]) -> Branches | None:
        """Find the branches of a tree.

        Parameters
        ----------
        names
            names of all branches

        Returns
        -------
        branches
            None if the tree contains no coincidences
        """
        # Two times define a coincidence. All other branches can be masked in a GATE macro.
        time = next((t for t in TIMES if {f"{t}1", f"{t}2"} <= {*names}), None)
        if time is None:
            return None
        ids = [each for each in IDS if {f"{each}1", f"{each}2"} <= {*names}]
        event = next((e for e in EVENTS if {f"{e}1", f"{e}2"} <= {*names}), None)
        return cls(
            times=(f"{time}1", f"{time}2"),
            unit_s=TIMES[time],
            ids=(tuple(f"{each}1" for each in ids), tuple(f"{each}2" for each in ids)),
            places=(_axes(PLACES, "1", names), _axes(PLACES, "2", names)),
            sources=_axes(SOURCES, "1", names),
            events=(f"{event}1", f"{event}2") if event else (),
            scatters=tuple(s + end for s in SCATTERS for end in "12" if s + end in names),
        )

    def of_singles(self, names: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return volume IDs and positions in a tree of singles.

        Parameters
        ----------
        names
            names of all branches

        Returns
        -------
        ids, places
            None if the tree lacks some of them
        """
        # Singles must have the same IDs as coincidences, otherwise their crystals cannot be
        # compared.
        ids = tuple(name.removesuffix("1") for name in self.ids[0])
        places = _axes(PLACES, "", names)
        time = self.times[0].removesuffix("1")
        return (ids, places) if places and {time, *ids} <= {*names} else None

    @property
    def have_places(self) -> bool:
        """True if both photons have detection positions."""
        return all(self.places)

    @property
    def of_events(self) -> tuple[str, ...]:
        """Branches that are read for a scan, with the truth about its events."""
        ends = (*self.ids[0], *self.ids[1], *self.places[0], *self.places[1])
        return (*self.times, *ends, *self.events, *self.scatters)


def _axes(patterns: tuple[str, ...], end: str, names: Collection[str]) -> tuple[str, ...]:
    for pattern in patterns:
        found = tuple(pattern.format(axis=axis, end=end) for axis in AXES)
        if {*found} <= {*names}:
            return found
    return ()
