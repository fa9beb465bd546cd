"""Searches for hard problems: by joining blocks, valley by valley, with a beam, or by OR-Tools."""
