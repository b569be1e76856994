"""The device that a command asks for: its option, and the device itself with what is to be said."""

from __future__ import annotations

import argparse

from engine.cli.console import Console
from engine.core import backend
from engine.core.backend import Backend
from engine.selftest import named

HELP = "auto, cpu, cuda, or cuda:1 for the next GPU (or cuda:GPU-… by its UUID)"


def add_device(p: argparse.ArgumentParser, *others: str, default: str = "auto") -> None:
    """Add the option --device, which takes `others` besides the names of devices."""

    def device(text: str) -> str:
        if text in others or backend.is_device_name(text):
            return text
        known = ", ".join((*backend.DEVICES, "cuda:1", *others))
        raise argparse.ArgumentTypeError(f"{text!r} is none of {known}")

    names = "|".join((*backend.DEVICES, *others))
    p.add_argument("--device", type=device, default=default, metavar=names, help=HELP)


def device_of(name: str, threads: int | None, console: Console) -> Backend:
    """Return the device of this name; why `auto` left the GPU aside is said."""
    on = named(name, threads, say=console.line)
    if on.remark:
        console.line(f"note: {on.remark}")
    return on
