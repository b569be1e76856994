"""Last step of a CT run: convert the image to CT numbers."""

from __future__ import annotations

from dataclasses import replace

from engine.data.runs.record import RecordedRun
from engine.data.volume import Volume
from engine.modalities.stages import Stage
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.run_context.context import RunContext
from engine.protocols.run_context.provenance import with_run


def in_hounsfield(
    context: RunContext[CtProtocol], volume: Volume, *, in_place: bool = False
) -> Stage[Volume]:
    """Convert a volume to CT numbers if the protocol asks for it.

    Parameters
    ----------
    context
        run with its protocol and log
    volume
        finished volume in 1/mm
    in_place
        True for a volume in a temporary file, whose values are overwritten
    """
    hounsfield = context.protocol.hounsfield
    if hounsfield is None:
        return volume
    volume = hounsfield.apply(volume, in_place=in_place)
    yield context.log.applied(hounsfield.kind, hounsfield.summary(volume))
    # The record of the run was written before this step, so it is added here.
    run = RecordedRun.of(volume.info)
    if run is None:
        return volume
    run = run.with_correction(context.log.corrections[-1])
    return replace(volume, info=with_run(volume.info, run))
