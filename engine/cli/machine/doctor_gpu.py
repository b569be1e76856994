"""`isocenter doctor --gpu`: whether each card of this machine computes what the CPU does."""

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
    """Test every card, and keep the answers; raises if one cannot be used.

    Raises
    ------
    ResourceError
        if there is no card, or one of them cannot be used or computes wrong
    """
    faults = [fault for device in gpu_devices(judged=False) if (fault := _test(device, console))]
    if faults:
        raise ResourceError(" ".join(faults))
    console.line("All is well.")


def _test(device: DeviceInfo, console: Console) -> str:
    """Return why a card may not be used, nothing if it computes right."""
    if device.card is None or device.why_not:
        return device.why_not
    _describe(device, device.card, console)
    try:
        on = backend.cuda_of(device.card.number)
    except (ResourceError, DeviceError) as e:
        return str(e)
    found = []
    for finding in findings(on):
        found.append(finding)
        _tell(finding, console)
    if any(finding.was_full for finding in found):
        return f"{device.label} could not be tested: its memory is used up; close other programs."
    return keep(device.card, tuple(found)).words


def _describe(device: DeviceInfo, card: NvidiaCard, console: Console) -> None:
    of = tested_of(card)
    console.line(f"{device.key}: {device.label}, {generation(card.compute_capability)}")
    for name, value in (("driver", of.driver), ("CuPy", of.cupy), ("NVRTC", of.nvrtc)):
        console.line(f"  {name:26s} {value or 'unknown'}")


def _tell(finding: Finding, console: Console) -> None:
    if finding.passed:
        console.line(f"  {finding.name:26s} right, {finding.seconds:.1f} s")
    for fault in finding.faults:
        console.line(f"  {finding.name:26s} WRONG: {fault}")
