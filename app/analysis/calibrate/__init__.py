"""Pages on which a scanner is measured: its normalisation, and what one count stands for."""
