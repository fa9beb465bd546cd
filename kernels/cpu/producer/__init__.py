"""Constants, ranges and random tensors."""
