"""Build a response matrix: rows in threads, stored in parts so that a build can resume."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.core.settings import Settings
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import stored_orientations
from engine.io.hdf5.response import write_response
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse, ResponseRows
from engine.modalities.dual_head_pet.response.identity import plan_of
from engine.modalities.dual_head_pet.response.packing import PackedRows, matrix_of
from engine.modalities.dual_head_pet.response.parts import Arrays, ResponseParts

OnProgress = Callable[[int, int], None]
"""Callback for the work done and in total; may raise to stop."""

ROWS_PER_PART = 32
_TICK_S = 0.2


def build_analytic(
    scanner: DualHead,
    settings: AnalyticResponse,
    path: Path | None = None,
    *,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> ResponseMatrix:
    """Integrate all rows of a matrix and write it.

    Parameters
    ----------
    scanner
        panels with one layer of crystals
    settings
        number of points, threshold
    path
        file to write; parts of an interrupted build are stored next to it and reused. None writes
        nothing
    threads
        number of threads; None for all cores
    on_progress
        called with the number of parts done and in total; may raise to stop

    Raises
    ------
    GeometryError
        if the scanner has several layers
    """
    # Before any work, so that the error appears at once.
    refuse_layers(scanner)
    started = time.perf_counter()
    parts = None if path is None else ResponseParts(path, plan_of(scanner, settings))
    rows = [ResponseRows(scanner, settings)]
    made = make_rows(scanner, rows, parts, threads=threads, on_progress=on_progress)
    info = info_of(settings, time.perf_counter() - started)
    (joined,) = made
    return finished(matrix_of(scanner, joined, info), path, parts)


def make_rows(
    scanner: DualHead,
    makers: Sequence[ResponseRows],
    parts: ResponseParts | None,
    *,
    threads: int | None,
    on_progress: OnProgress | None,
) -> Iterator[PackedRows]:
    """Compute all rows of a scanner with each of several makers; return the rows of each.

    Parameters
    ----------
    scanner
        panels with their image
    makers
        one for each pair of layers
    parts
        stored parts of an interrupted build; None to store nothing
    threads
        number of threads; None for all cores
    on_progress
        called with the number of parts done and in total; may raise to stop
    """
    orientations = stored_orientations(scanner.settings.n_rows, scanner.settings.n_columns)
    n_parts = -(-len(orientations) // ROWS_PER_PART)

    def make(i: int) -> Arrays:
        # Parts of all makers are numbered in one sequence, so one pool serves all of them.
        which, part = divmod(i, n_parts)
        some = orientations[part * ROWS_PER_PART : (part + 1) * ROWS_PER_PART]
        rows = [makers[which].row(int(a), int(b)) for a, b in some]
        return dict(vars(PackedRows.joined(rows)))

    n = n_parts * len(makers)
    made = make_parts(make, n, parts, threads=threads, on_progress=on_progress)

    def joined(first: int) -> PackedRows:
        rows = PackedRows.joined([PackedRows(**part) for part in made[first : first + n_parts]])
        # Released, so that parts and joined rows are not in memory together.
        made[first : first + n_parts] = [{}] * n_parts
        return rows

    return map(joined, range(0, n, n_parts))


def refuse_layers(scanner: DualHead) -> None:
    """Refuse crystals in several layers: one matrix contains the response of one layer.

    Parameters
    ----------
    scanner
        panels

    Raises
    ------
    GeometryError
        if there are several layers
    """
    if scanner.settings.n_layers != 1:
        raise GeometryError(
            f"{scanner.name}: a response matrix describes one crystal layer, but the scanner has "
            f"{scanner.settings.n_layers}; compute a matrix for each pair of layers, or set "
            "n_layers = 1 and combine the events of all layers."
        )


def info_of(settings: Settings, seconds: float) -> Plain:
    """Return the origin of a matrix, as JSON values.

    Parameters
    ----------
    settings
        settings of the computation
    seconds
        duration of the computation
    """
    return {"response": settings.model_dump(mode="json"), "seconds": round(seconds, 1)}


def finished(
    matrix: ResponseMatrix, path: Path | None, parts: ResponseParts | None
) -> ResponseMatrix:
    """Write a matrix if a path is given, and remove its parts.

    Parameters
    ----------
    matrix
        finished matrix
    path
        file to write; None to write nothing
    parts
        stored parts of the build; None if there are none
    """
    if path is not None and parts is not None:
        write_response(matrix, path)
        parts.remove()
    return matrix


def make_parts(
    make: Callable[[int], Arrays],
    n_parts: int,
    parts: ResponseParts | None,
    *,
    threads: int | None,
    on_progress: OnProgress | None,
    in_memory: bool = True,
) -> list[Arrays]:
    """Return all parts, stored ones and new ones, which are stored.

    Parameters
    ----------
    make
        function that computes a part
    n_parts
        number of parts
    parts
        stored parts; None to store nothing
    threads
        number of threads; None for all cores
    on_progress
        called with the number of parts done and in total; may raise to stop
    in_memory
        False leaves all parts on disk, and returns empty ones
    """

    def part(i: int) -> Arrays:
        stored = parts.load(i) if parts else None
        if stored is None:
            stored = make(i)
            if parts:
                parts.save(i, stored)
        # Finished parts of an interrupted build are on disk already.
        return stored if in_memory else {}

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        futures = [pool.submit(part, i) for i in range(n_parts)]
        try:
            waiting = set(futures)
            while waiting:
                # A short timeout lets the progress callback stop a long build.
                done, waiting = wait(waiting, timeout=_TICK_S)
                for share in done:
                    share.result()
                if on_progress:
                    on_progress(n_parts - len(waiting), n_parts)
        finally:
            # Without waiting: a part that is being computed would delay the stop by minutes.
            pool.shutdown(wait=False, cancel_futures=True)
    return [share.result() for share in futures]
