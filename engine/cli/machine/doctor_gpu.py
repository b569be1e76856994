"""`isocenter doctor --gpu`: compare the results of each GPU with the CPU."""

from __future__ import annotations

from engine.cli.console import Console
from engine.core import backend
from engine.core.backend.devices import DeviceInfo, gpu_devices
from engine.core.backend.driver import NvidiaCard
from engine.core.backend.generations import generation
from engine.core.backend.selftest_results import tested_of
from engine.core.errors import DeviceError, ResourceError
from engine.selftest.device_choice import keep
from engine.selftest.running import Finding, findings


def test_cards(console: Console) -> None:
    """Test every GPU and store the outcomes.

    Raises
    ------
    ResourceError
        if there is no GPU, or one is unusable or computes wrong results
    """
    # Also GPUs that failed before: a new driver may have repaired them
    faults = [fault for device in gpu_devices(judged=False) if (fault := _test(device, console))]
    if faults:
        raise ResourceError(" ".join(faults))
    console.line("All checks passed.")


def _test(device: DeviceInfo, console: Console) -> str:
    """Return why a GPU is not usable, or an empty text if its results are correct."""
    if device.card is None or device.obstacle:
        return device.obstacle
    _describe(device, device.card, console)
    try:
        on = backend.cuda_of(device.card.number)
    except (ResourceError, DeviceError) as e:
        return str(e)
    found = []
    for finding in findings(on):
        found.append(finding)
        _tell(finding, console)
    # A full GPU says nothing about correctness, so no outcome is stored
    if any(finding.was_full for finding in found):
        return f"{device.label} could not be tested: its memory is full. Close other programs."
    return keep(device.card, tuple(found)).words


def _describe(device: DeviceInfo, card: NvidiaCard, console: Console) -> None:
    of = tested_of(card)
    console.line(f"{device.key}: {device.label}, {generation(card.compute_capability)}")
    for name, value in (("driver", of.driver), ("CuPy", of.cupy), ("NVRTC", of.nvrtc)):
        console.line(f"  {name:26s} {value or 'unknown'}")


def _tell(finding: Finding, console: Console) -> None:
    if finding.passed:
        console.line(f"  {finding.name:26s} correct, {finding.seconds:.1f} s")
    for fault in finding.faults:
        console.line(f"  {finding.name:26s} WRONG: {fault}")
