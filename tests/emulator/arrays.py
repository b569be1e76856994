"""Device arrays: marked NumPy arrays that do not mix with host arrays (as in CuPy)."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tests.emulator.gpu import EmulatedGpu


class DeviceArray(np.ndarray):
    """An array in the memory of an `EmulatedGpu`.

    Operations that mix it with host arrays raise TypeError, as with CuPy. Results stay on the
    device, including single numbers. Only `np.asarray` of a device array cannot be refused.
    """

    gpu: EmulatedGpu | None = None

    def __array_finalize__(self, source: Any) -> None:
        self.gpu = getattr(source, "gpu", None)
        if self.gpu is not None and self.flags.owndata:
            self.gpu.memory.take(self)

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        return _gpu_of(self).xp

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        gpu = _gpu_of(self, *inputs, *options.get("out", ()))
        work = functools.partial(getattr(ufunc, method), *bare(inputs), **bare(options))
        out = options.get("out")
        if gpu.is_recording and out is not None:
            gpu.queue(work)
            return out[0]
        gpu.refuse_while_recording(f"{ufunc.__name__} into a new array")
        gpu.settle()
        result = work()
        if out is not None:
            return out[0] if len(out) == 1 else out
        return on_device(result, gpu)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return called(function, _gpu_of(self), args, options)

    def __getitem__(self, key: Any) -> Any:
        return on_device(super().__getitem__(key), _gpu_of(self))

    def __setitem__(self, key: Any, value: Any) -> None:
        plain, given = bare(self), bare(value)
        _gpu_of(self).queue(lambda: plain.__setitem__(key, given))

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype})"

    def fill(self, value: Any) -> None:
        self[...] = value

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def item(self, *args: Any) -> Any:
        return self._to_host().item(*args)

    def tolist(self) -> Any:
        return self._to_host().tolist()

    def get(self) -> np.ndarray:
        return self._to_host()

    def _to_host(self) -> np.ndarray:
        return _gpu_of(self).download(self)


def _gpu_of(*values: Any) -> EmulatedGpu:
    for value in values:
        if isinstance(value, DeviceArray) and value.gpu is not None:
            value.gpu.check()
            return value.gpu
    raise TypeError("an array without a device")


def bare(value: Any) -> Any:
    """Return arguments as simple arrays; raise TypeError for host arrays."""
    if isinstance(value, DeviceArray):
        return value.view(np.ndarray)
    if isinstance(value, np.ndarray):
        raise TypeError("an array of the host meets one of the device; upload it first.")
    if isinstance(value, tuple | list):
        return (
            [bare(item) for item in value] if isinstance(value, list) else tuple(map(bare, value))
        )
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items()}
    return value


def on_device(value: Any, gpu: EmulatedGpu) -> Any:
    """Mark results as device arrays and count their memory if they own it."""
    if isinstance(value, tuple | list):
        marked = (on_device(item, gpu) for item in value)
        return list(marked) if isinstance(value, list) else tuple(marked)
    if isinstance(value, DeviceArray) or not isinstance(value, np.ndarray | np.generic):
        return value
    plain = np.asarray(value)
    gpu.memory.take(owner(plain))
    marked = plain.view(DeviceArray)
    marked.gpu = gpu
    return marked


def owner(array: np.ndarray) -> np.ndarray:
    """Return the array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def called(function: Any, gpu: EmulatedGpu, args: Any, options: Any) -> Any:
    """Call a NumPy function with device arrays."""
    gpu.check()
    gpu.refuse_while_recording(f"{function.__name__}()")
    gpu.settle()
    return on_device(function(*bare(args), **bare(options)), gpu)


class DeviceModule(ModuleType):
    """NumPy, or one of its submodules, with functions that take and return device arrays."""

    _TAKE_HOST = ("array", "asarray")

    def __init__(self, module: ModuleType, gpu: EmulatedGpu) -> None:
        super().__init__(f"emulated_{module.__name__}")
        self._module, self._gpu = module, gpu

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return DeviceModule(found, self._gpu)
        if isinstance(found, type) or not callable(found):
            return found
        takes_host = self._module is np and name in self._TAKE_HOST

        @functools.wraps(found)
        def of_device(*args: Any, **options: Any) -> Any:
            if takes_host and type(args[0]) is np.ndarray:
                return self._gpu.upload(found(*args, **options))
            return called(found, self._gpu, args, options)

        return of_device
