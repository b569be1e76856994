"""DICOM: series of images out, and their way to a node."""
