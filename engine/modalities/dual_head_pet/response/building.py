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
"""Called with the work done and the work in all; may raise to stop."""

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
        two panels with one layer of crystals
    settings
        number of points, threshold
    path
        file to write; the parts of an interrupted build are kept beside it and found again.
        Nothing is written if None
    threads
        number of threads; None: all cores
    on_progress
        hears of rows done; may raise to stop the work
    """
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
    """Make all rows of a scanner by each of some makers, then give those of one after the other."""
    orientations = stored_orientations(scanner.settings.n_rows, scanner.settings.n_columns)
    n_parts = -(-len(orientations) // ROWS_PER_PART)

    def make(i: int) -> Arrays:
        which, part = divmod(i, n_parts)
        some = orientations[part * ROWS_PER_PART : (part + 1) * ROWS_PER_PART]
        rows = [makers[which].row(int(a), int(b)) for a, b in some]
        return dict(vars(PackedRows.joined(rows)))

    n = n_parts * len(makers)
    made = make_parts(make, n, parts, threads=threads, on_progress=on_progress)

    def joined(first: int) -> PackedRows:
        rows = PackedRows.joined([PackedRows(**part) for part in made[first : first + n_parts]])
        made[first : first + n_parts] = [{}] * n_parts  # not twice in memory
        return rows

    return map(joined, range(0, n, n_parts))


def refuse_layers(scanner: DualHead) -> None:
    """Refuse crystals in several layers: one matrix holds the response of one."""
    if scanner.settings.n_layers != 1:
        raise GeometryError(
            f"{scanner.name}: a response matrix takes one crystal layer, the scanner "
            f"has {scanner.settings.n_layers}; compute a matrix for each layer, or set "
            "n_layers = 1 and combine the events of all layers."
        )


def info_of(settings: Settings, seconds: float) -> Plain:
    """Return how a matrix was made."""
    return {"response": settings.model_dump(mode="json"), "seconds": round(seconds, 1)}


def finished(
    matrix: ResponseMatrix, path: Path | None, parts: ResponseParts | None
) -> ResponseMatrix:
    """Write a matrix, if it is to be written, and remove its parts."""
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
    """Return all parts: those kept, and the others made now and kept.

    Where they are not to be held in memory, they are left on the disk and none is returned.
    """

    def part(i: int) -> Arrays:
        stored = parts.load(i) if parts else None
        if stored is None:
            stored = make(i)
            if parts:
                parts.save(i, stored)
        return stored if in_memory else {}

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        futures = [pool.submit(part, i) for i in range(n_parts)]
        try:
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, timeout=_TICK_S)
                for share in done:
                    share.result()
                if on_progress:
                    on_progress(n_parts - len(waiting), n_parts)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return [share.result() for share in futures]
