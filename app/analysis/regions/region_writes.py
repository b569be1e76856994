"""Write the regions of a scan to its file and to its result, in threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from engine.analysis.regions import RegionSet, regions_file_of, replace_regions
from engine.results import VOLUME, Results


class RegionWrites:
    """Writes of regions in threads: of those to one place, only the last request counts."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted: dict[tuple[Path, str], RegionSet] = {}

    def later(
        self, regions: RegionSet, path: Path, result_id: str = ""
    ) -> Callable[[], dict[Path, Path]]:
        """Return the write as a function for a thread.

        Parameters
        ----------
        regions, path, result_id
            as for `write_for_scan`

        Returns
        -------
        write
            returns the same as `write_for_scan`; does nothing once a later write was requested
        """
        place = path, result_id
        self._wanted[place] = regions

        def write() -> dict[Path, Path]:
            # Threads start in any order, and deleted regions would return with an older write.
            with self._lock:
                if self._wanted[place] is not regions:
                    return {}
                return write_for_scan(regions, path, result_id)

        return write


def write_for_scan(regions: RegionSet, path: Path, result_id: str = "") -> dict[Path, Path]:
    """Write regions for their owner, or remove the file if there are none.

    Parameters
    ----------
    regions
        regions of the scan
    path
        file in the user's settings
    result_id
        displayed result; its folder gets a copy, in which reports look for regions. Empty: none

    Returns
    -------
    dict
        old -> new path of files that could not be read, or belong to another scan; they get another
        name instead of being overwritten
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    places = [path]
    if result_id:
        places.append(regions_file_of(Results().open(result_id).folder / VOLUME))
    moved = {each: replace_regions(regions, each) for each in places}
    return {old: new for old, new in moved.items() if new is not None}
