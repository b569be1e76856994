"""Files that accompany a scan: calibration, tracer, attenuation map, efficiencies."""
