"""Resampling: Resize, blocks, columns, grids."""
