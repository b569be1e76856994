"""List-mode PET: events traced along their lines, one by one."""
