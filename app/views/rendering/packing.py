"""Packs volumes and regions in a thread, because a large volume takes a second."""

from __future__ import annotations

import weakref
from contextlib import suppress
from threading import Thread

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.language.internal_errors import internal_error
from app.language.translation import tr
from app.views.colour.windows import AIR_HU
from app.views.planes.placing import VolumePlacing
from app.views.rendering.packed_volume import PackedMasks, PackedVolume
from app.views.rendering.rendering_state import ColouredRegion
from app.views.volume_facts import facts_of
from engine.analysis.regions import coverage_of
from engine.core.errors import EngineError
from engine.data import Volume
from engine.tools.diagnostics import keep_fault

Limits = tuple[int, int]
"""Largest number of voxels of a texture, and along each of its axes."""
MAX_REGIONS = 16
PATIENCE_S = 30.0
FAINT = 0.05
"""Share of the bright values below which an activity counts as air."""


class PackedParts:
    """The textures of one image.

    Parameters
    ----------
    lower, upper : the volumes; None without a second one
    regions : regions of the first volume
    placing : maps points of the first volume to points of the second one
    subjects : identify the runs or files of the volumes

    Attributes
    ----------
    packed_lower, packed_upper : the volumes as textures
    masks : the regions as a texture; None without regions
    corners_mm : (n, 3) corners of the parts that are not air, in the axes of the first volume [mm]
    fault : a sentence if they could not be packed
    """

    def __init__(
        self,
        lower: Volume,
        upper: Volume | None,
        regions: tuple[ColouredRegion, ...],
        placing: VolumePlacing,
        subjects: object = None,
    ) -> None:
        self.placing, self.subjects = placing, subjects
        self.lower, self.upper, self.regions = lower, upper, regions
        self.packed_lower: PackedVolume | None = None
        self.packed_upper: PackedVolume | None = None
        self.masks: PackedMasks | None = None
        self.corners_mm: NDArray[np.float64] | None = None
        self.fault = ""

    def is_like(self, other: PackedParts | None) -> bool:
        """Return True if another image has the same volumes and regions."""
        return other is not None and (
            self.lower is other.lower
            and self.upper is other.upper
            and self.regions == other.regions
            and self.placing == other.placing
            and self.subjects == other.subjects
        )


class Packer(QObject):
    """Packs one image at a time, and then the newest request.

    Signals
    -------
    packed : the result, `PackedParts`
    failed : a sentence
    """

    packed = Signal(object)
    failed = Signal(str)
    _done = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: dict[int, tuple[weakref.ref[Volume], Limits, PackedVolume]] = {}
        self._thread: Thread | None = None
        self._next: tuple[PackedParts, Limits] | None = None
        # Emitted in the other thread, so Qt calls the method in that of the window.
        self._done.connect(self._finish, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """True while a volume is packed."""
        return self._thread is not None

    def ask(self, parts: PackedParts, limits: Limits) -> None:
        """Pack an image; `packed` reports it.

        Parameters
        ----------
        parts
            the image
        limits
            largest number of voxels of a texture, and along each of its axes
        """
        self._next = parts, limits
        self._start()

    def wait(self) -> None:
        """Wait for the thread, before its owner is deleted."""
        self._next = None
        if self._thread is not None:
            self._thread.join(PATIENCE_S)

    def _start(self) -> None:
        if self._thread is None and self._next is not None:
            self._thread = Thread(target=self._work, args=self._next, daemon=True)
            self._next = None
            self._thread.start()

    def _work(self, parts: PackedParts, limits: Limits) -> None:
        """Pack an image, in the thread."""
        try:
            self._pack(parts, limits)
        except EngineError as e:
            parts.fault = str(e)
        except MemoryError:
            parts.fault = tr("This computer has too little free memory for the 3D view.")
        except Exception as e:  # noqa: BLE001  without an answer the view would wait for ever
            keep_fault(e)
            parts.fault = internal_error(e)
        with suppress(RuntimeError):  # the window was closed meanwhile
            self._done.emit(parts)

    @Slot(object)
    def _finish(self, parts: PackedParts) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(PATIENCE_S)
        if parts.fault:
            self.failed.emit(parts.fault)
        else:
            self.packed.emit(parts)
        self._start()

    def _pack(self, parts: PackedParts, limits: Limits) -> None:
        parts.packed_lower = self._pack_or_reuse(parts.lower, limits)
        parts.corners_mm = _corners_without_air(parts.packed_lower, parts.lower)
        if parts.upper is not None:
            parts.packed_upper = self._pack_or_reuse(parts.upper, limits)
            corners = _corners_without_air(parts.packed_upper, parts.upper)
            parts.corners_mm = np.concatenate([parts.corners_mm, parts.placing.to_base(corners)])
        if parts.regions:
            parts.masks = masks_of(parts.regions, parts.lower, parts.packed_lower)

    def _pack_or_reuse(self, volume: Volume, limits: Limits) -> PackedVolume:
        reference, used, found = self._known.get(id(volume), (None, limits, None))
        if found is None or reference is None or reference() is not volume or used != limits:
            found = PackedVolume.of(volume, *limits)
        # Only living volumes, or the textures of a whole run would stay in memory.
        self._known = {key: each for key, each in self._known.items() if each[0]() is not None}
        self._known[id(volume)] = weakref.ref(volume), limits, found
        return found


def _corners_without_air(packed: PackedVolume, volume: Volume) -> NDArray[np.float64]:
    """Return the corners of the part of a volume that is not air."""
    least = AIR_HU if volume.unit == "HU" else FAINT * facts_of(volume).bright_top
    return packed.corners_mm(packed.level_of(least))


def masks_of(
    regions: tuple[ColouredRegion, ...], volume: Volume, packed: PackedVolume
) -> PackedMasks | None:
    """Return regions on the grid of a packed volume.

    Parameters
    ----------
    regions
        shapes and colours; only the first `MAX_REGIONS` are shown
    volume
        the volume; thresholds follow its values
    packed
        the packed volume

    Returns
    -------
    None if no voxel is in a region
    """
    coverage = np.zeros(packed.levels.shape, np.float32)
    labels = np.zeros(packed.levels.shape, np.uint8)
    colours: list[str] = []
    for shape, colour in regions[:MAX_REGIONS]:
        try:
            found = coverage_of(shape, volume)
        except EngineError:
            # A threshold that this image does not reach has no surface. The list says why.
            continue
        colours.append(colour)
        share, start = _reduced(found.share, found.start, packed.factor)
        box = tuple(slice(a, a + n) for a, n in zip(start, share.shape, strict=True))
        labels[box] = np.where(share > 0, len(colours), labels[box])
        coverage[box] = np.maximum(coverage[box], share)
    if not coverage.any():
        return None
    levels = np.round(255 * np.minimum(coverage, 1)).astype(np.uint8)
    return PackedMasks(levels, labels, tuple(colours))


def _reduced(
    share: NDArray[np.float64], start: tuple[int, int, int], factor: int
) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    """Return the mean share of the cubes of a packed volume, and the first cube."""
    if factor == 1:
        return share, start
    first = tuple(a // factor for a in start)
    before = [a - k * factor for a, k in zip(start, first, strict=True)]
    widths = [(b, -(b + n) % factor) for b, n in zip(before, share.shape, strict=True)]
    padded = np.pad(share, widths)
    n_z, n_y, n_x = (n // factor for n in padded.shape)
    cubes = padded.reshape(n_z, factor, n_y, factor, n_x, factor)
    return cubes.mean(axis=(1, 3, 5)), first
