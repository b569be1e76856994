"""Option `--device`, and the device that it selects."""

from __future__ import annotations

import argparse

from engine.cli.console import Console
from engine.core import backend
from engine.core.backend import Backend
from engine.selftest import named

HELP = "auto, cpu, cuda, cuda:1 for the second GPU, or cuda:GPU-… with a UUID"


def add_device(p: argparse.ArgumentParser, *others: str, default: str = "auto") -> None:
    """Add the option `--device`.

    Parameters
    ----------
    p
        parser of a verb
    others
        values that are valid in addition to names of devices
    default
        value without the option
    """

    # Not `choices`: cuda:N and UUIDs are valid too
    def device(text: str) -> str:
        if text in others or backend.is_device_name(text):
            return text
        from engine.cli.suggestions import did_you_mean

        known = ", ".join((*backend.DEVICES, "cuda:1", *others))
        meant = did_you_mean(text, (*backend.DEVICES, *others))
        raise argparse.ArgumentTypeError(f"{text!r} is not valid.{meant} Choose from {known}.")

    names = "|".join((*backend.DEVICES, *others))
    p.add_argument("--device", type=device, default=default, metavar=names, help=HELP)


def device_of(name: str, threads: int | None, console: Console) -> Backend:
    """Return the device of a name, and print why `auto` does not use the GPU.

    Parameters
    ----------
    name
        value of `--device`
    threads
        CPU threads; None for all cores
    console
        receives notes

    Raises
    ------
    ResourceError
        if the device is missing or not usable
    """
    on = named(name, threads, log=console.log)
    if on.note:
        console.note(f"{on.note}")
    return on
