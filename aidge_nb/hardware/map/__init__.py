"""From a schedule and a target to a mapping."""
