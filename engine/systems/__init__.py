"""Composition roots: corrected data + grid -> system model."""

from engine.systems import listmode_pet

SYSTEMS = (listmode_pet,)
