"""Write the resources of all kernels: python -m tests.emulator.record_registers [OUT.json]."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.emulator.registers import RECORD, record

if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else RECORD
    out.write_text(record(), encoding="utf-8")
