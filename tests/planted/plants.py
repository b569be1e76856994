"""Functions that plant faults: in kernel texts, launches and the emulated GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.core.errors import DeviceError
from engine.kernels.compiled import Kernels, Layout
from engine.operators.xray.transfers import OutgoingParts
from tests.emulator.gpu import EmulatedGpu
from tests.emulator.textures import EmulatedTexture

Plant = Callable[[pytest.MonkeyPatch], None]


def text(*changes: tuple[str, str]) -> Plant:
    """Change the source of kernels. A source without the first change stays unchanged."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        compiled = EmulatedGpu._compiled

        def planted(gpu: EmulatedGpu, source: str, options: tuple[str, ...]) -> Any:
            if changes[0][0] in source:
                for old, new in changes:
                    source = source.replace(old, new)
            return compiled(gpu, source, options)

        patch.setattr(EmulatedGpu, "_compiled", planted)

    return plant


def last_block(patch: pytest.MonkeyPatch) -> None:
    """Skip the last block of a launch over images."""

    def images(kernels: Kernels, name: str, n: int, *arguments: Any) -> None:
        function, block = kernels._functions[name]
        function(n // block, block, *arguments)

    patch.setattr(Kernels, "_images", images)


def swapped_sizes(patch: pytest.MonkeyPatch) -> None:
    """Swap two sizes of a layout."""
    sizes = Layout.sizes.fget
    patch.setattr(
        Layout, "sizes", property(lambda layout: sizes(layout)[1::-1] + sizes(layout)[2:])
    )


def swapped_extents(patch: pytest.MonkeyPatch) -> None:
    """Copy images with rows and columns swapped."""
    update = EmulatedTexture.update

    def swapped(texture: EmulatedTexture, values: Any, first: int = 0) -> None:
        n, n_rows, n_columns = values.shape
        turned = values.reshape(n, n_columns, n_rows).swapaxes(1, 2)
        update(texture, turned.copy(), first)

    patch.setattr(EmulatedTexture, "update", swapped)


def first_image(patch: pytest.MonkeyPatch) -> None:
    """Copy every image to the first position."""
    update = EmulatedTexture.update

    def always_first(texture: EmulatedTexture, values: Any, first: int = 0) -> None:
        update(texture, values, 0)

    patch.setattr(EmulatedTexture, "update", always_first)


def no_wait(patch: pytest.MonkeyPatch) -> None:
    """Make streams never wait for each other."""
    patch.setattr(EmulatedGpu, "wait_for", lambda gpu, stamp: None)


def left_at_once(patch: pytest.MonkeyPatch) -> None:
    """Let parts of CT leave the device before the work that makes them is done."""

    def leave(parts: OutgoingParts, part: Any, out: Any) -> None:
        with parts._gpu.copying(to_host=True):
            parts._gpu.download(part, out)

    patch.setattr(OutgoingParts, "leave", leave)


def half_a_constant(patch: pytest.MonkeyPatch) -> None:
    """Copy half of the bytes of constants."""
    copy = EmulatedGpu.copy

    def half(gpu: EmulatedGpu, values: Any, out: Any) -> None:
        n = len(values) // 2 if out.dtype == "uint8" else len(values)
        copy(gpu, values[:n], out[:n])

    patch.setattr(EmulatedGpu, "copy", half)


def stale_constants(patch: pytest.MonkeyPatch) -> None:
    """Copy constants only once."""
    copy, seen = EmulatedGpu.copy, set[int]()

    def once(gpu: EmulatedGpu, values: Any, out: Any) -> None:
        if out.dtype != "uint8" or out.ctypes.data not in seen:
            seen.add(out.ctypes.data)
            copy(gpu, values, out)

    patch.setattr(EmulatedGpu, "copy", once)


def no_zero(patch: pytest.MonkeyPatch) -> None:
    """Do not reset sums."""
    patch.setattr(EmulatedGpu, "zero", lambda gpu, values: None)


def unrecorded_copies(patch: pytest.MonkeyPatch) -> None:
    """Record no copy in a graph."""
    copy = EmulatedGpu.copy

    def unless_recording(gpu: EmulatedGpu, values: Any, out: Any) -> None:
        if not gpu.is_recording:
            copy(gpu, values, out)

    patch.setattr(EmulatedGpu, "copy", unless_recording)


def unknown_memory_error(patch: pytest.MonkeyPatch) -> None:
    """Raise another error if memory is used up."""
    from tests.emulator import memory

    patch.setattr(memory, "DeviceMemoryError", DeviceError)


def wide_argument(patch: pytest.MonkeyPatch) -> None:
    """Pass float32 instead of float64."""
    rays = Kernels.rays

    def wide(kernels: Kernels, name: str, n_rows: int, *arguments: Any) -> None:
        as_float = [a.astype("float32") if a.dtype == "float64" and not a.shape else a
                    for a in arguments]  # fmt: skip
        rays(kernels, name, n_rows, *as_float)

    patch.setattr(Kernels, "rays", wide)
