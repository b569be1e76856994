"""HDF5 files: how they are opened, and our own formats."""
