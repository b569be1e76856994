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
    """Turn the values of a volume into CT numbers, if the protocol asks for it.

    in_place : for a volume that lies in a file of ours
    """
    hounsfield = context.protocol.hounsfield
    if hounsfield is None:
        return volume
    volume = hounsfield.apply(volume, in_place=in_place)
    yield context.log.applied(hounsfield.kind, hounsfield.summary(volume))
    run = RecordedRun.of(volume.info)
    if run is None:
        return volume
    run = run.with_correction(context.log.corrections[-1])
    return replace(volume, info=with_run(volume.info, run))
