"""Tuning problems with planted faults, for searches in a separate process."""

from __future__ import annotations

import os
import signal
import time

from engine.core.errors import DataError
from tests.engine.tools.tuning.bowl import RIGHT, Bowl

WRONG, DEADLY = {"width": 4, "kind": "odd"}, {"width": 16, "kind": "odd"}


class Planted(Bowl):
    """A problem in which one form gives wrong numbers, and another kills the process."""

    def result(self, values):
        if values == DEADLY:
            os.kill(os.getpid(), signal.SIGKILL)
        return RIGHT + 1 if values == WRONG else super().result(values)

    def seconds(self, values):
        return 1e-6 if values == WRONG else super().seconds(values)


class Endless(Bowl):
    """A problem with a form that never ends."""

    def result(self, values):
        if values["width"] == 16:
            time.sleep(600)
        return super().result(values)


def planted(request):
    return Planted()


def wrong(request):
    return Bowl(odd="wrong")


def endless(request):
    return Endless()


def refused(request):
    raise DataError("scan.h5: nothing is in it.")


def deadly(request):
    os._exit(3)
