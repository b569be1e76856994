"""Programs built on the engine: benchmarks, tuning, diagnostics, normalisation scans."""
