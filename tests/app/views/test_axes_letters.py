"""Letters at the edges of a view: sides of the patient, or axes where nobody says how he lay."""

from __future__ import annotations

from engine.geometry import orientation


def test_letters_name_the_axes_where_no_patient_is_known():
    axial, coronal = (orientation(plane).edges.on("xyz") for plane in ("axial", "coronal"))
    assert (axial.left, axial.right, axial.top, axial.bottom) == ("−x", "+x", "−y", "+y")
    assert (coronal.left, coronal.right, coronal.top, coronal.bottom) == ("−x", "+x", "+z", "−z")


def test_a_mirrored_view_names_the_axes_where_they_are():
    mirrored = orientation("axial", "neurological").edges.on("xyz")
    assert (mirrored.left, mirrored.right) == ("+x", "−x")
