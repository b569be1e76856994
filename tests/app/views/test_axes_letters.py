"""Tests of the letters at the edges of views with an unknown patient position."""

from __future__ import annotations

from engine.geometry import orientation


def test_letters_name_the_axes_if_the_position_is_unknown():
    axial, coronal = (orientation(plane).edges.on("xyz") for plane in ("axial", "coronal"))
    assert (axial.left, axial.right, axial.top, axial.bottom) == ("−x", "+x", "−y", "+y")
    assert (coronal.left, coronal.right, coronal.top, coronal.bottom) == ("−x", "+x", "+z", "−z")


def test_mirrored_view_names_the_right_axes():
    mirrored = orientation("axial", "neurological").edges.on("xyz")
    assert (mirrored.left, mirrored.right) == ("+x", "−x")
