"""Record of an image without a run record, such as one from another program."""

from __future__ import annotations

from engine.data.runs.record import ProtocolIdentity, RecordedRun, quality_of
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import identity_of


def unrecorded(protocol: Protocol, iterations_done: float | None = None) -> RecordedRun:
    """Return the record of a run as far as the protocol determines it.

    Parameters
    ----------
    protocol
        protocol of the image
    iterations_done
        number of iterations; None if all of the protocol's are done
    """
    algorithm, identity = protocol.algorithm, identity_of(protocol)
    n = algorithm.n_iterations
    done = n if iterations_done is None else iterations_done
    return RecordedRun(
        protocol=ProtocolIdentity.of(identity),
        quality=quality_of(identity),
        algorithm=algorithm.title,
        iterates=not algorithm.direct,
        iterations_planned=n,
        may_end_early=algorithm.may_end_early,
        iterations_done=done,
        ending="done" if done >= n else "stopped",
    )
