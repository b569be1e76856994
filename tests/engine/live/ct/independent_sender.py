"""Send frames like a beamline, without code of the engine; runs in a separate process.

python independent_sender.py ADDRESS FIRST LAST [bad]: pushes one dark, one flat and projections
FIRST to LAST − 1, filled with their number plus one. "bad" first sends invalid messages.
"""

from __future__ import annotations

import json
import pickle
import sys

import numpy as np
import zmq

ROWS, COLUMNS = 6, 10


def message(index: int, scan_index: int, values: np.ndarray) -> list[bytes]:
    header = {
        "frame": index,
        "image_attributes": {"scan_index": scan_index},
        "shape": list(values.shape),
        "type": str(values.dtype),
    }
    return [json.dumps(header).encode(), values.tobytes()]


def main(address: str, first: int, last: int, *, bad: bool) -> None:
    socket = zmq.Context().socket(zmq.PUSH)
    socket.setsockopt(zmq.LINGER, 5000)
    socket.bind(address)
    frame = np.full((ROWS, COLUMNS), 100, np.uint16)
    if bad:
        socket.send_multipart([b"{}", pickle.dumps(frame), b"third"])
        socket.send_multipart([b"no json", frame.tobytes()])
        socket.send_multipart([message(0, 0, frame)[0], frame.tobytes()[:-1]])
    socket.send_multipart(message(0, 0, frame))
    socket.send_multipart(message(0, 1, frame + 900))
    for index in range(first, last):
        socket.send_multipart(message(index, 2, np.full_like(frame, 1 + index)))
    sys.stdin.read()  # runs until it is killed or its input ends


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), bad="bad" in sys.argv)
