"""CUDA status codes; runtime and driver use the same numbers."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """CUDA error codes as in its headers."""

    INVALID_VALUE = 1
    MEMORY_ALLOCATION = 2
    INITIALIZATION = 3
    INSUFFICIENT_DRIVER = 35
    DEVICES_UNAVAILABLE = 46
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    INVALID_IMAGE = 200
    NO_BINARY = 209
    INVALID_PTX = 218
    INVALID_HANDLE = 400
    NOT_FOUND = 500
    NOT_READY = 600
    ILLEGAL_ADDRESS = 700
    OUT_OF_RESOURCES = 701
    MISALIGNED = 716
    LAUNCH_FAILURE = 719
    NOT_PERMITTED = 800
    NOT_SUPPORTED = 801
    CAPTURE_UNSUPPORTED = 900
    CAPTURE_INVALIDATED = 901
    CAPTURE_UNMATCHED = 903
    CAPTURE_UNJOINED = 904
    CAPTURE_ISOLATION = 905
    CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    UNKNOWN = 999


class CudaError(Exception):
    """A CUDA call fails with this status; `words` add details that CUDA does not give."""

    def __init__(self, status: Status, words: str = "") -> None:
        super().__init__(f"{status.name}: {words}" if words else status.name)
        self.status = status
