"""The module `engine.priors` under the name of the product."""

import sys
from typing import TYPE_CHECKING

import engine.priors

if TYPE_CHECKING:
    from engine.priors import *

# the same object, so changes are visible under both names
sys.modules[__name__] = engine.priors
