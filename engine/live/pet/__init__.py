"""List-mode PET while it is measured: events in, images, figures and motions out."""
