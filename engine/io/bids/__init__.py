"""BIDS, the layout in which studies of the brain share their data: images of PET."""
