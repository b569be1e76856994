"""Pictures of volumes, linked; curves and bars beside them."""
