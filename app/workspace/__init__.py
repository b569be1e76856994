"""The work in the window: steps, study list, queue, CT inspection."""
