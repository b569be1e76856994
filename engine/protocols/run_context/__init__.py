"""What every stage writes to: context, progress, provenance."""
