"""What is known of images beforehand, as penalties with their proximal maps."""
