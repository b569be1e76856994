"""How far a patient has moved between the μ-map and the emission scan."""
