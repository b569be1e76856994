"""Install the software card at start: Python reads this file if its folder is in PYTHONPATH."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[4]))
from tests.emulator.card.installing import install_from_environment

install_from_environment()
