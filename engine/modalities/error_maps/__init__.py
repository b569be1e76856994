"""Error maps of PET: needs before the run, images of replicates, bias, and the stage of a run."""
