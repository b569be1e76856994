"""Measurements and volumes: plain frozen values, no maths."""
