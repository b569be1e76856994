"""X-ray scans in HDF5: Data Exchange and NXtomo."""
