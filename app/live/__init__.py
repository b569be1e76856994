"""Follow a scan while it is measured."""
