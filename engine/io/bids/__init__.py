"""BIDS, the layout for sharing brain studies: PET images."""
