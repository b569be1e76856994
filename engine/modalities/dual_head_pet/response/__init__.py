"""Making the response matrix of a dual-head scanner: integrated, tracked or imported."""
