"""Commands for DICOM series, nodes and worklists."""
