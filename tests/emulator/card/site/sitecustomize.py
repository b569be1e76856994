"""Python reads this first where its folder is in PYTHONPATH: the process finds the card."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[4]))
from tests.emulator.card.plugged import plugged_in

plugged_in()
