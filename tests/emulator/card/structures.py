"""Structures of the CUDA 13 runtime, laid out as in its headers."""

from __future__ import annotations

import ctypes
from ctypes import c_char, c_float, c_int, c_size_t, c_uint, c_void_p
from typing import Any


class Position(ctypes.Structure):
    """`cudaPos` and `cudaExtent`."""

    _fields_ = (("x", c_size_t), ("y", c_size_t), ("z", c_size_t))


class Pitched(ctypes.Structure):
    """`cudaPitchedPtr`."""

    _fields_ = (("ptr", c_void_p), ("pitch", c_size_t), ("xsize", c_size_t), ("ysize", c_size_t))


class Memcpy3D(ctypes.Structure):
    """Argument of `cudaMemcpy3DAsync`."""

    _fields_ = (
        ("srcArray", c_void_p),
        ("srcPos", Position),
        ("srcPtr", Pitched),
        ("dstArray", c_void_p),
        ("dstPos", Position),
        ("dstPtr", Pitched),
        ("extent", Position),
        ("kind", c_int),
    )


class Channels(ctypes.Structure):
    """`cudaChannelFormatDesc`."""

    _fields_ = (("x", c_int), ("y", c_int), ("z", c_int), ("w", c_int), ("kind", c_int))


class _Pitch2D(ctypes.Structure):
    _fields_ = (
        ("devPtr", c_void_p),
        ("desc", Channels),
        ("width", c_size_t),
        ("height", c_size_t),
        ("pitchInBytes", c_size_t),
    )


class _Resource(ctypes.Union):
    _fields_ = (("array", c_void_p), ("pitch2D", _Pitch2D), ("reserved", c_int * 32))


class ResourceDesc(ctypes.Structure):
    """`cudaResourceDesc`."""

    _fields_ = (("resType", c_int), ("res", _Resource), ("flags", c_uint))


class TextureDesc(ctypes.Structure):
    """`cudaTextureDesc`."""

    _fields_ = (
        ("addressMode", c_int * 3),
        ("filterMode", c_int),
        ("readMode", c_int),
        ("sRGB", c_int),
        ("borderColor", c_float * 4),
        ("normalizedCoords", c_int),
        ("maxAnisotropy", c_uint),
        ("mipmapFilterMode", c_int),
        ("mipmapLevelBias", c_float),
        ("minMipmapLevelClamp", c_float),
        ("maxMipmapLevelClamp", c_float),
        ("disableTrilinearOptimization", c_int),
        ("seamlessCubemap", c_int),
    )


class PointerAttributes(ctypes.Structure):
    """`cudaPointerAttributes`."""

    _fields_ = (
        ("type", c_int),
        ("device", c_int),
        ("devicePointer", c_void_p),
        ("hostPointer", c_void_p),
        ("reserved", ctypes.c_long * 8),
    )


def _ints(*names: str) -> list[tuple[str, Any]]:
    return [(name, c_int) for name in names]


class Properties(ctypes.Structure):
    """`cudaDeviceProp`."""

    _fields_ = (
        ("name", c_char * 256),
        ("uuid", c_char * 16),
        ("luid", c_char * 8),
        ("luidDeviceNodeMask", c_uint),
        ("totalGlobalMem", c_size_t),
        ("sharedMemPerBlock", c_size_t),
        *_ints("regsPerBlock", "warpSize"),
        ("memPitch", c_size_t),
        ("maxThreadsPerBlock", c_int),
        ("maxThreadsDim", c_int * 3),
        ("maxGridSize", c_int * 3),
        ("totalConstMem", c_size_t),
        *_ints("major", "minor"),
        ("textureAlignment", c_size_t),
        ("texturePitchAlignment", c_size_t),
        *_ints("multiProcessorCount", "integrated", "canMapHostMemory"),
        ("sizesOfTexturesAndSurfaces", c_int * 39),
        ("surfaceAlignment", c_size_t),
        *_ints("concurrentKernels", "ECCEnabled", "pciBusID", "pciDeviceID", "pciDomainID"),
        *_ints("tccDriver", "asyncEngineCount", "unifiedAddressing", "memoryBusWidth"),
        *_ints("l2CacheSize", "persistingL2CacheMaxSize", "maxThreadsPerMultiProcessor"),
        *_ints("streamPrioritiesSupported", "globalL1CacheSupported", "localL1CacheSupported"),
        ("sharedMemPerMultiprocessor", c_size_t),
        *_ints("regsPerMultiprocessor", "managedMemory", "isMultiGpuBoard"),
        ("more", c_int * 91),
    )
