"""Start Python without the time to import Numba: fork a process that has imported it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType

_PARENT = """
import json, os, sys, traceback
import numba

numba.njit(lambda x: x)(1.0)  # the first of all functions takes longest

def child(request):
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    sys.path[0] = request["folder"]
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    with open(request["out"], "w") as sys.stdout:
        exec(request["code"], {"__name__": "__main__"})

for line in sys.stdin:
    pid = os.fork()
    if pid:
        print(os.waitpid(pid, 0)[1], flush=True)
        continue
    try:
        child(json.loads(line))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
"""


class Starts:
    """A process that has imported Numba but none of our modules; its forks start quickly."""

    def __init__(self) -> None:
        self._parent = None
        if hasattr(os, "fork"):
            command = [sys.executable, "-c", _PARENT]
            pipe = subprocess.PIPE
            self._parent = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def run(self, code: str, folder: Path, out: Path, **environment: str) -> str:
        """Run code in a folder from which it can import; return its output."""
        if self._parent is None:
            done = subprocess.run(
                [sys.executable, "-c", code], cwd=folder, env={**os.environ, **environment},
                stdout=subprocess.PIPE, text=True, check=True,
            )  # fmt: skip
            return done.stdout
        request = {"code": code, "folder": str(folder), "out": str(out), "environment": environment}
        assert self._parent.stdin and self._parent.stdout
        print(json.dumps(request), file=self._parent.stdin, flush=True)
        assert int(self._parent.stdout.readline()) == 0, "the start failed; see standard error"
        return out.read_text()

    def __enter__(self) -> Starts:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._parent is not None:
            assert self._parent.stdin
            self._parent.stdin.close()
            self._parent.wait()
            assert self._parent.stdout
            self._parent.stdout.close()
