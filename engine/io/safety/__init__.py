"""Safe reading and writing: input limits, atomic writes, locks, seals."""
