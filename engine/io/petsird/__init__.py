"""PETSIRD, the open list mode of the ETSI: a yardl stream of a header and blocks in time."""
