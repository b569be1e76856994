"""Panels for the work on a study: steps, study list, queue, CT inspection."""
