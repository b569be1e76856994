"""Ring PET whose coincidences were counted in sinograms."""
