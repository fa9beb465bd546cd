"""Scenes of tilings: maps with their tiles, stripes at every count, figures of slices."""
