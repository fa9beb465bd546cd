"""Placement: from live ranges to offsets in an arena."""
